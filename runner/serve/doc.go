// Package serve lets other programs use agents, and tools as they are: as an MCP server on stdin and stdout, or behind HTTP.
//
// The way of a call: tool of an agent → runner.Request → events, of which each step becomes a progress notification → the
// answer as the result. A call that is cancelled cancels its run, and so does the end of the connection. Each call leases the
// graph anew, so it sees the newest definitions. Nobody is there to be asked: what would ask is refused.
//
// A tool as it is: its call → runner.Hands of the client → the result. No model takes part and nothing is stored.
package serve
