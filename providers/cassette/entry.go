package cassette

import (
	"bytes"
	"encoding/json"
	"slices"
)

// entry is one recorded call.
type entry struct {
	key     string // as written in the file, or made
	made    string // from the request; differs from key where somebody edited the file
	agent   string
	models  []string
	request *request
	answer  answer
	line    int // of the file; 0 = new
}

// written is an entry in the file.
type written struct {
	Key     string   `json:"key"`
	Agent   string   `json:"agent,omitempty"`
	Models  []string `json:"models,omitempty"`
	Request change   `json:"request"`
	Answer  *answer  `json:"answer"`
}

// change is a request as far as it differs from the call before of the same agent: a part that is absent is as it was
// there. Messages follow the first Keeps of the ones there, all of them when Keeps is absent.
type change struct {
	System     *string          `json:"system,omitempty"`
	Tools      *[]tool          `json:"tools,omitempty"`
	Parameters *json.RawMessage `json:"parameters,omitempty"`
	Keeps      *int             `json:"keeps,omitempty"`
	Messages   []message        `json:"messages,omitempty"`
}

func difference(before, now *request) change {
	var c change
	if before.System != now.System {
		c.System = &now.System
	}
	if !bytes.Equal(compact(before.Tools), compact(now.Tools)) {
		tools := append([]tool{}, now.Tools...) // an empty list where there are none any more
		c.Tools = &tools
	}
	if !bytes.Equal(before.Parameters, now.Parameters) {
		p := now.Parameters
		if p == nil {
			p = json.RawMessage("{}")
		}
		c.Parameters = &p
	}
	same := 0
	for same < min(len(before.Messages), len(now.Messages)) &&
		bytes.Equal(compact(before.Messages[same]), compact(now.Messages[same])) {
		same++
	}
	if same < len(before.Messages) {
		c.Keeps = &same
	}
	c.Messages = now.Messages[same:]
	return c
}

// apply is the request that differs from before by c.
func (c change) apply(before *request) *request {
	now := &request{System: before.System, Tools: before.Tools, Parameters: before.Parameters}
	if c.System != nil {
		now.System = *c.System
	}
	if c.Tools != nil {
		now.Tools = *c.Tools
	}
	if c.Parameters != nil {
		if now.Parameters = *c.Parameters; string(now.Parameters) == "{}" {
			now.Parameters = nil
		}
	}
	keeps := len(before.Messages)
	if c.Keeps != nil {
		keeps = min(max(*c.Keeps, 0), keeps)
	}
	now.Messages = slices.Concat(before.Messages[:keeps], c.Messages)
	return now
}

// requests walks entries in order and keeps, for each agent, the request before.
type requests map[string]*request

func (r requests) before(agent string) *request {
	if b, ok := r[agent]; ok {
		return b
	}
	return &request{}
}
