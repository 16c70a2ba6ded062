package wire

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/swarmrun/swarmrun/providers"
)

// errorFor builds the error body in which a row of the table shows itself.
func errorFor(r *rule) []byte {
	type fields map[string]any
	body := fields{"message": "something happened"}
	pattern := strings.Join(r.pattern, "x")
	switch {
	case r.field == "word" && pattern == "moderation":
		body["metadata"] = fields{"reasons": []string{"violence"}}
	case r.field == "word" && strings.Contains(pattern, "perday"):
		body["details"] = []fields{{"violations": []fields{{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}}}}
	case r.field == "word":
		body["code"] = pattern
	case r.field == "text":
		body["message"] = r.example
	}
	out, err := json.Marshal(fields{"error": body})
	if err != nil {
		panic(err)
	}
	return out
}

// statusesOf are the statuses of a row, one for each class.
func statusesOf(r *rule) []int {
	if r.statuses == nil {
		return []int{400, 500}
	}
	classes := map[string][]int{"3xx": {301, 307}, "4xx": {405, 415, 418, 422}, "5xx": {500, 502, 503, 520, 522, 530}}
	var out []int
	for _, s := range r.statuses {
		if n, err := strconv.Atoi(s); err == nil {
			out = append(out, n)
			continue
		}
		out = append(out, classes[s]...)
	}
	return out
}

// Every row decides the failure that it describes: no earlier row hides it.
func TestEveryRow(t *testing.T) {
	rules := loadRules.Get()
	for i := range rules {
		r := &rules[i]
		t.Run(strconv.Itoa(r.line), func(t *testing.T) {
			if r.field == "text" && r.example == "" {
				t.Fatalf("line %d has no example", r.line)
			}
			who := r.providers
			if who == nil {
				who = []string{"openai", "unheard-of"}
			}
			for _, provider := range who {
				for _, status := range statusesOf(r) {
					e := Classify(provider, status, http.Header{}, errorFor(r), time.Now())
					if e.Kind == r.kind && e.NoRepeat == r.noRepeat {
						continue
					}
					if r.field == "-" && slices.ContainsFunc(rules[:i], func(o rule) bool { return o.field == "-" && o.covers(status) }) {
						continue // a more exact status row above
					}
					t.Errorf("line %d, %s, %d: %s (no repeat %v), want %s (%v)", r.line, provider, status, e.Kind, e.NoRepeat, r.kind, r.noRepeat)
				}
			}
		})
	}
}

func TestEveryInBandName(t *testing.T) {
	for name, status := range loadInBand.Get() {
		e := InBand("openai", json.RawMessage(`{"type":"`+name+`"}`), nil, time.Now())
		if e.Status != status || e.Kind == providers.KindUnknown {
			t.Errorf("%s: %d %s, want status %d", name, e.Status, e.Kind, status)
		}
	}
}

// The provider tables of the specification, with bodies as the providers send them.
func TestClassify(t *testing.T) {
	const (
		html = "<html><body>502 Bad Gateway: rate limit, prompt is too long</body></html>"
		gem  = `{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProject"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"26s"}]}}`
	)
	tests := []struct {
		provider string
		status   int
		body     string
		kind     providers.Kind
	}{
		{"openai", 401, `{"error":{"message":"Incorrect API key provided: sk-abc","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, providers.KindAuth},
		{"openai", 403, `{"error":{"message":"Country, region, or territory not supported","code":"unsupported_country_region_territory"}}`, providers.KindPermission},
		{"openai", 404, `{"error":{"message":"The model x does not exist","code":"model_not_found"}}`, providers.KindNotFound},
		{"openai", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 140029 tokens.","code":"context_length_exceeded"}}`, providers.KindOverflow},
		{"openai", 400, `{"error":{"message":"Invalid 'messages[1].content': string too long. Expected a string with maximum context length 1","code":"string_above_max_length"}}`, providers.KindInvalidRequest},
		{"openai", 400, `{"error":{"message":"flagged","code":"content_policy_violation"}}`, providers.KindContentFilter},
		{"openai", 400, `{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1","type":"invalid_request_error"}}`, providers.KindOrphan},
		{"openai", 429, `{"error":{"message":"Rate limit reached for requests","code":"rate_limit_exceeded"}}`, providers.KindRateLimit},
		{"openai", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, providers.KindQuota},
		{"openai", 429, `{"error":{"message":"maximum context length, prompt is too long","code":"rate_limit_exceeded"}}`, providers.KindRateLimit},
		{"openai", 429, `not json`, providers.KindRateLimit},
		{"openai", 429, `{"error":{"message":"cut`, providers.KindRateLimit},
		{"openai", 503, `{"error":{"code":"server_is_overloaded"}}`, providers.KindOverloaded},
		{"openai", 503, `{"error":{"message":"overloaded_error in the text only"}}`, providers.KindServer},
		{"openai", 400, `{"error":{"message":"429 items, error 500 in line 503, timeout"}}`, providers.KindInvalidRequest},
		{"openai", 400, `{"error":{"message":"max_tokens: 4010 > 4096, which is the maximum allowed number of output tokens; prompt is too long"}}`, providers.KindInvalidRequest},
		{"openai", 502, html, providers.KindServer}, {"openai", 504, html, providers.KindTimeout}, {"openai", 403, html, providers.KindPermission},
		{"openai", 413, html, providers.KindOverflow}, {"openai", 524, "", providers.KindTimeout}, {"openai", 421, "", providers.KindTransport},
		{"openai", 409, "", providers.KindServer}, {"openai", 425, "", providers.KindServer}, {"openai", 529, "", providers.KindOverloaded},
		{"openai", 501, "", providers.KindInvalidRequest}, {"openai", 307, "", providers.KindInvalidRequest}, {"openai", 498, "", providers.KindInvalidRequest},
		{"azure", 400, `{"error":{"code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, providers.KindContentFilter},
		{"azure", 400, `{"error":{"code":"400","inner_error":{"code":"ResponsibleAIPolicyViolation"}}}`, providers.KindContentFilter},
		{"azure", 404, `{"error":{"code":"DeploymentNotFound"}}`, providers.KindNotFound},
		{"azure", 429, `{"error":{"code":"429","message":"Requests have exceeded token rate limit"}}`, providers.KindRateLimit},
		{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}`, providers.KindOverflow},
		{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.2: ` + "`tool_use` ids were found without `tool_result`" + ` blocks immediately after: toolu_1"}}`, providers.KindOrphan},
		{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, providers.KindQuota},
		{"anthropic", 402, `{"type":"error","error":{"type":"billing_error","message":"x"}}`, providers.KindQuota},
		{"anthropic", 413, `{"type":"error","error":{"type":"request_too_large","message":"x"}}`, providers.KindOverflow},
		{"anthropic", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, providers.KindOverloaded},
		{"anthropic", 504, `{"type":"error","error":{"type":"timeout_error","message":"x"}}`, providers.KindTimeout},
		{"google", 400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, providers.KindOverflow},
		{"google", 400, `{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, providers.KindAuth},
		{"google", 400, `{"error":{"code":400,"message":"User location is not supported","status":"FAILED_PRECONDITION"}}`, providers.KindPermission},
		{"google", 429, gem, providers.KindRateLimit},
		{"google", 429, strings.ReplaceAll(gem, "PerMinute", "PerDay"), providers.KindQuota},
		{"google", 503, `{"error":{"code":503,"status":"UNAVAILABLE"}}`, providers.KindOverloaded},
		{"google", 499, `{"error":{"code":499,"status":"CANCELLED"}}`, providers.KindServer},
		{"mistral", 422, `{"detail":[{"type":"x","msg":"Prompt contains 40960 tokens, too large for model with 32768 maximum context length","input":"secret"}]}`, providers.KindOverflow},
		{"mistral", 422, `{"detail":[{"msg":"field required","input":"prompt is too long"}]}`, providers.KindInvalidRequest},
		{"mistral", 400, `{"message":"Not the same number of function calls and responses","type":"invalid_request_error","code":"3230"}`, providers.KindOrphan},
		{"mistral", 429, `{"message":"Service tier capacity exceeded","code":"3505"}`, providers.KindOverloaded},
		{"groq", 400, `{"error":{"message":"Failed to call a function","code":"tool_use_failed","failed_generation":"prompt is too long"}}`, providers.KindContract},
		{"groq", 498, "", providers.KindOverloaded}, {"groq", 424, "", providers.KindServer},
		{"deepseek", 402, `{"error":{"message":"Insufficient Balance"}}`, providers.KindQuota}, {"deepseek", 503, "", providers.KindOverloaded},
		{"xai", 400, `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: ab***cd."}`, providers.KindAuth},
		{"xai", 400, `{"code":"x","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, providers.KindOverflow},
		{"xai", 403, `{"code":"x","error":"Your team has used all available credits"}`, providers.KindQuota}, {"xai", 403, `{"error":"no"}`, providers.KindPermission},
		{"openrouter", 402, `{"error":{"code":402,"message":"x","metadata":{"error_type":"in_flight_budget_exhausted"}}}`, providers.KindRateLimit},
		{"openrouter", 402, `{"error":{"code":402,"message":"Insufficient credits"}}`, providers.KindQuota},
		{"openrouter", 403, `{"error":{"code":403,"message":"x","metadata":{"reasons":["violence"],"flagged_input":"secret"}}}`, providers.KindContentFilter},
		{"openrouter", 403, `{"error":{"code":403,"message":"no"}}`, providers.KindPermission}, {"openrouter", 503, "", providers.KindOverloaded},
		{"together", 403, `{"error":{"message":"This model's maximum context length is 8193 tokens"}}`, providers.KindOverflow}, {"together", 403, `{"error":{"message":"no"}}`, providers.KindPermission},
		{"openai", 403, `{"error":{"message":"This model's maximum context length is 8193 tokens"}}`, providers.KindPermission},
		{"together", 422, "{\"error\":{\"message\":\"`inputs` tokens + `max_new_tokens` must be <= 4097\"}}", providers.KindOverflow},
		{"cohere", 400, `{"message":"too many tokens: size limit exceeded by 11","id":"x"}`, providers.KindOverflow}, {"openai", 400, `{"message":"too many tokens"}`, providers.KindInvalidRequest},
		{"cohere", 498, `{"message":"invalid token"}`, providers.KindAuth}, {"cohere", 429, `{"message":"You are using a Trial key, which is limited to 1000 API calls / month"}`, providers.KindQuota},
		{"ollama", 404, `{"error":"model 'x' not found"}`, providers.KindNotFound}, {"ollama", 500, "", providers.KindServer}, {"ollama", 413, "", providers.KindOverflow},
		{"glm", 429, `{"error":{"code":"1113","message":"Insufficient balance"}}`, providers.KindQuota},
		{"bedrock", 400, `{"message":"Input is too long for requested model."}`, providers.KindOverflow},
	}
	for _, tt := range tests {
		if e := Classify(tt.provider, tt.status, http.Header{}, []byte(tt.body), time.Now()); e.Kind != tt.kind {
			t.Errorf("%s %d %s: %s, want %s", tt.provider, tt.status, tt.body, e.Kind, tt.kind)
		}
	}
}

func TestClassifyHeaders(t *testing.T) {
	bedrock := http.Header{"X-Amzn-Errortype": {"ThrottlingException:http://x"}}
	if e := Classify("bedrock", 400, bedrock, []byte(`{"message":"Too many tokens, please wait. Input is too long"}`), time.Now()); e.Kind != providers.KindRateLimit {
		t.Errorf("throttling is %s", e.Kind)
	}
	no := http.Header{"X-Should-Retry": {"false"}}
	if e := Classify("openai", 503, no, nil, time.Now()); !e.NoRepeat {
		t.Error("x-should-retry: false is ignored")
	}
	yes := http.Header{"X-Should-Retry": {"true"}}
	if e := Classify("openai", 401, yes, nil, time.Now()); e.Kind != providers.KindAuth || e.Retryable() {
		t.Error("x-should-retry: true revives auth")
	}
	spend := []byte(`{"type":"error","error":{"type":"rate_limit_error","code":"enforced_spend_limit_reached"}}`)
	if e := Classify("anthropic", 429, http.Header{}, spend, time.Now()); e.Kind != providers.KindQuota {
		t.Errorf("spend limit is %s", e.Kind)
	}
	if e := Classify("anthropic", 429, http.Header{"Retry-After": {"3"}}, spend, time.Now()); e.Kind != providers.KindRateLimit {
		t.Errorf("spend limit with retry-after is %s", e.Kind)
	}
}

func TestInBand(t *testing.T) {
	tests := []struct {
		body   string
		kind   providers.Kind
		status int
	}{
		{`{"error":{"type":"overloaded_error","message":"x"}}`, providers.KindOverloaded, 529},
		{`{"error":{"code":502,"message":"x"}}`, providers.KindServer, 502},
		{`{"error":{"code":"429"}}`, providers.KindRateLimit, 429},
		{`{"error":{"status":"UNAVAILABLE"}}`, providers.KindOverloaded, 503},
		{`{"error":{"type":"timeout_error"}}`, providers.KindTimeout, 504},
		{`{"error":{"type":"invalid_request_error","message":"prompt is too long"}}`, providers.KindOverflow, 400},
		{`{"error":"boom"}`, providers.KindServer, 500}, {`[]`, providers.KindServer, 500}, {`nonsense`, providers.KindServer, 500},
		{`{"error":{"code":99999999999999999999}}`, providers.KindServer, 500},
	}
	for _, tt := range tests {
		if e := InBand("openai", json.RawMessage(tt.body), nil, time.Now()); e.Kind != tt.kind || e.Status != tt.status {
			t.Errorf("%s: %s %d, want %s %d", tt.body, e.Kind, e.Status, tt.kind, tt.status)
		}
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(400, []byte(`{"error":{"message":"prompt is too long","details":"x","code":{}}}`), "12")
	f.Add(429, []byte(`[{"error":[]}]`), "Mon, 02 Jan 2006 15:04:05 GMT")
	f.Fuzz(func(t *testing.T, status int, body []byte, after string) {
		e := Classify("openai", status, http.Header{"Retry-After": {after}}, body, time.Now())
		if e.RetryAfter < 0 || e.RetryAfter > maxHint {
			t.Errorf("hint %v", e.RetryAfter)
		}
		if providers.SafeCode(e.Code) != e.Code {
			t.Errorf("code %q", e.Code)
		}
	})
}
