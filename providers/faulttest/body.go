package faulttest

import (
	"encoding/json"
	"fmt"
)

// body is a whole answer in the framing.
func (f Framing) body(a *answer) obj {
	switch f {
	case OpenAIChat:
		return chatBody(a)
	case OpenAIResponses:
		return responsesBody(a)
	}
	return messageBody(a)
}

// failure is an error body. A hostile server says back what it was sent: echo comes after every message.
func (f Framing) failure(status int, code, typ, message, echo string) obj {
	if f == Anthropic {
		named, real, words := anthropicWording(status, code)
		return anthropicError(first(typ, named, anthropicType(status)), real, first(message, words, plain(status))+echo)
	}
	real, named, words := openAIWording(code)
	return openAIError(real, first(typ, named, openAIType(status)), first(message, words, plain(status))+echo)
}

func openAIType(status int) string {
	switch {
	case status == 401:
		return "authentication_error"
	case status == 429:
		return "requests"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

// plain has no word that a client may take for a reason.
func plain(status int) string { return fmt.Sprintf("the answer is %d", status) }

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// jsonOrText is for arguments that may be cut.
func jsonOrText(s string) any {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	return s
}
