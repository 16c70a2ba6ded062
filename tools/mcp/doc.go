// Package mcp lets agents use the tools of MCP servers: programs on stdin and stdout, and servers behind HTTP.
//
// The way of a tool: [Server], the settings as they count → [Hub.Client], a claim on it that starts nothing → [NewSet], the
// servers of one agent as a tools.Toolset → Open, which starts what is not lazy and reads the list of the rest from the cache
// → Tool.Call → a link, which starts the server where it does not run → the server. Equal settings share one process.
//
// A server is not trusted. What it says about itself is bounded and cleaned before anybody sees it; a tool whose schema does
// not compile is left out; two tools of one name are both left out; a frame, a list and a result have an upper size; a server
// that ends, floods or never answers costs its own calls and nothing else. A call in flight is never repeated.
package mcp
