package event

import "encoding/json"

// ToolCall comes before the permissions of a call are asked; one ToolResult always follows.
type ToolCall struct {
	Header     `json:"-"`
	ToolCallID string          `json:"tool_call_id"`
	Tool       string          `json:"tool"`
	Arguments  json.RawMessage `json:"arguments"`
}

// ToolResult is what the model sees of a call; results come in the order of the calls.
type ToolResult struct {
	Header     `json:"-"`
	ToolCallID string `json:"tool_call_id"`
	Tool       string `json:"tool"`
	Result     string `json:"result"`
	IsError    bool   `json:"is_error"`
	DurationMS int64  `json:"duration_ms"`
	Blocked    string `json:"blocked,omitempty" doc:"hook, permission, schema"`
	File       string `json:"file,omitempty" doc:"the whole text, when it was cut"`
	ReadPath   string `json:"read_path,omitempty"`
	ReadDigest string `json:"read_digest,omitempty"`
}

// Delegation stands in place of a ToolCall when the tool is another agent.
type Delegation struct {
	Header     `json:"-"`
	ToolCallID string `json:"tool_call_id"`
	DelegateTo string `json:"delegate_to" doc:"the agent's name"`
	Message    string `json:"message"`
	Context    string `json:"context" doc:"fresh, keep"`
	Instance   string `json:"instance" doc:"target@delegator"`
}

// DelegationResult stands in place of a ToolResult when the tool is another agent.
type DelegationResult struct {
	Header       `json:"-"`
	ToolCallID   string `json:"tool_call_id"`
	DelegateFrom string `json:"delegate_from" doc:"who answered"`
	Result       string `json:"result"`
	IsError      bool   `json:"is_error"`
	Kind         string `json:"kind,omitempty"`
	Usage        Usage  `json:"usage"`
	DurationMS   int64  `json:"duration_ms"`
	File         string `json:"file,omitempty" doc:"the whole text, when it was cut"`
}

// CircularDependency tells that the guard refused a delegation: its target is at work above, or the chain is too deep.
type CircularDependency struct {
	Header `json:"-"`
	Target string   `json:"target"`
	Path   []string `json:"path" doc:"agents at work, the run's target first"`
}

// PermissionAsked tells that a person is asked about a call.
type PermissionAsked struct {
	Header     `json:"-"`
	ToolCallID string `json:"tool_call_id"`
	Tool       string `json:"tool"`
	Rule       string `json:"rule"`
	Place      string `json:"place" doc:"file:line:column of the rule"`
}

// PermissionDenied tells that a call was refused.
type PermissionDenied struct {
	Header     `json:"-"`
	ToolCallID string `json:"tool_call_id"`
	Tool       string `json:"tool"`
	Rule       string `json:"rule"`
	Place      string `json:"place" doc:"file:line:column of the rule"`
	Why        string `json:"why" doc:"rule, mode, no_terminal, outside, person"`
}

// Type is tool_call.
func (*ToolCall) Type() string { return "tool_call" }

// Type is tool_result.
func (*ToolResult) Type() string { return "tool_result" }

// Type is agent_delegation.
func (*Delegation) Type() string { return "agent_delegation" }

// Type is delegation_result.
func (*DelegationResult) Type() string { return "delegation_result" }

// Type is delegation_circular_dependency.
func (*CircularDependency) Type() string { return "delegation_circular_dependency" }

// Type is permission_asked.
func (*PermissionAsked) Type() string { return "permission_asked" }

// Type is permission_denied.
func (*PermissionDenied) Type() string { return "permission_denied" }
