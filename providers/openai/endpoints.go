package openai

import "github.com/swarmrun/swarmrun/providers"

// quirks are how a compatible endpoint differs from OpenAI's own.
type quirks struct {
	providers.Endpoint

	maxTokens     bool // knows max_tokens only, not max_completion_tokens
	noUsageOption bool // refuses stream_options; sends usage anyway
	jsonObject    bool // knows response_format json_object only: the schema goes into the prompt
	reasoningBack bool // wants reasoning_content of turns with tool calls back
	apiKeyHeader  bool // key in api-key instead of Authorization
}

func table() []quirks {
	return []quirks{
		{Endpoint: endpoint("openai", "https://api.openai.com/v1")},
		{Endpoint: providers.Endpoint{Name: "azure", BaseURLVar: "AZURE_OPENAI_ENDPOINT", KeyVars: []string{"AZURE_OPENAI_API_KEY"}}, apiKeyHeader: true},
		{Endpoint: providers.Endpoint{
			Name: "google", Aliases: []string{"gemini"}, BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
			KeyVars: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		}, maxTokens: true},
		{Endpoint: keyless("ollama", "http://127.0.0.1:11434/v1"), maxTokens: true},
		{Endpoint: endpoint("mistral", "https://api.mistral.ai/v1"), maxTokens: true, noUsageOption: true},
		{Endpoint: endpoint("groq", "https://api.groq.com/openai/v1")},
		{Endpoint: endpoint("deepseek", "https://api.deepseek.com/v1"), maxTokens: true, jsonObject: true, reasoningBack: true},
		{Endpoint: endpoint("xai", "https://api.x.ai/v1")},
		{Endpoint: endpoint("openrouter", "https://openrouter.ai/api/v1"), maxTokens: true},
		{Endpoint: endpoint("together", "https://api.together.xyz/v1"), maxTokens: true},
		{Endpoint: endpoint("cohere", "https://api.cohere.ai/compatibility/v1"), maxTokens: true},
		{Endpoint: endpoint("perplexity", "https://api.perplexity.ai"), maxTokens: true, noUsageOption: true},
		{Endpoint: keyless("vllm", "http://127.0.0.1:8000/v1"), maxTokens: true},
		{Endpoint: keyless("lmstudio", "http://127.0.0.1:1234/v1"), maxTokens: true},
	}
}

func endpoint(name, base string) providers.Endpoint {
	return providers.Endpoint{Name: name, BaseURL: base, KeyVars: []string{envName(name)}}
}

func keyless(name, base string) providers.Endpoint {
	e := endpoint(name, base)
	e.Keyless = true
	return e
}

// envName is <NAME>_API_KEY.
func envName(name string) string {
	b := []byte(name)
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z':
			b[i] = c - 'a' + 'A'
		case !(c >= '0' && c <= '9'):
			b[i] = '_'
		}
	}
	return string(b) + "_API_KEY"
}

// Endpoints are the providers that speak OpenAI's protocol under a name of their own.
func Endpoints() []providers.Endpoint {
	all := table()
	out := make([]providers.Endpoint, len(all))
	for i := range all {
		out[i] = all[i].Endpoint
	}
	return out
}

// Endpoint finds one by its name or alias. Any other name is a compatible endpoint that needs a base URL; its key variable
// is <NAME>_API_KEY.
func Endpoint(name string) (providers.Endpoint, bool) {
	q, ok := quirksOf(name)
	return q.Endpoint, ok
}

func quirksOf(name string) (quirks, bool) {
	for _, q := range table() {
		if q.Called(name) {
			return q, true
		}
	}
	return quirks{Endpoint: endpoint(name, ""), maxTokens: true}, false
}
