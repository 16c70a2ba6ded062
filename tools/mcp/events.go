package mcp

// InitStart tells that a server is being started.
type InitStart struct {
	ServerName    string `json:"server_name"`
	TransportType string `json:"transport_type"`
}

// InitComplete tells how that ended.
type InitComplete struct {
	ServerName    string   `json:"server_name"`
	TransportType string   `json:"transport_type"`
	OK            bool     `json:"ok"`
	ToolCount     int      `json:"tool_count"`
	Tools         []string `json:"tools"`
	Message       string   `json:"message,omitempty"`
	DurationMS    int64    `json:"duration_ms"`
}

// Stopped tells that a server ended that nobody asked to.
type Stopped struct {
	ServerName  string `json:"server_name"`
	Reason      string `json:"reason"` // exit, closed, error
	RestartInMS int64  `json:"restart_in_ms,omitempty"`
}

// ToolsChanged tells that a server has other tools now; the next run sees them.
type ToolsChanged struct {
	ServerName string   `json:"server_name"`
	Added      []string `json:"added"`
	Removed    []string `json:"removed"`
	Changed    []string `json:"changed"` // described otherwise
}

// LazyStart tells that something lazy was started because a call needed it.
type LazyStart struct {
	What       string `json:"what"` // mcp
	Name       string `json:"name"`
	DurationMS int64  `json:"duration_ms"`
}

// Type is the event's name.
func (InitStart) Type() string { return "mcp_server_init_start" }

// Type is the event's name.
func (InitComplete) Type() string { return "mcp_server_init_complete" }

// Type is the event's name.
func (Stopped) Type() string { return "mcp_server_stopped" }

// Type is the event's name.
func (ToolsChanged) Type() string { return "mcp_tools_changed" }

// Type is the event's name.
func (LazyStart) Type() string { return "agent_lazy_initialization" }
