package config

import "strings"

// toolWord is what one tool, or a few that belong together, is called in programs beside Claude Code, whose names are ours.
type toolWord struct {
	native                            []string
	editors, gemini, docker, opencode []string // editors: Copilot and VS Code, in any case
}

// toolWords are the names of tools in other programs.
var toolWords = []toolWord{
	{native: []string{"Bash"},
		editors:  []string{"execute", "shell", "bash", "powershell", "runCommands", "runInTerminal", "terminal", "runTasks"},
		gemini:   []string{"run_shell_command"},
		docker:   []string{"shell"},
		opencode: []string{"bash"}},
	{native: []string{"Read"},
		editors:  []string{"read", "notebookread", "readFile", "view"},
		gemini:   []string{"read_file", "read_many_files", "list_directory"},
		opencode: []string{"read"}},
	{native: []string{"Edit", "Write"},
		editors:  []string{"edit", "write", "multiedit", "notebookedit", "editFiles", "createFile", "create"},
		gemini:   []string{"replace", "write_file"},
		opencode: []string{"edit", "write", "patch", "multiedit"}},
	{native: []string{"Grep", "Glob"},
		editors: []string{"search", "codebase", "usages", "findFiles", "textSearch", "fileSearch"},
		gemini:  []string{"search_file_content", "grep_search"}},
	{native: []string{"Grep"}, editors: []string{"grep"}, opencode: []string{"grep"}},
	{native: []string{"Glob"}, editors: []string{"glob"}, gemini: []string{"glob"}, opencode: []string{"glob", "list"}},
	{native: []string{"WebFetch", "WebSearch"}, editors: []string{"web"}},
	{native: []string{"WebFetch"}, editors: []string{"webfetch", "fetch"}, gemini: []string{"web_fetch"}, docker: []string{"fetch"},
		opencode: []string{"webfetch"}},
	{native: []string{"WebSearch"}, editors: []string{"websearch"}, gemini: []string{"google_web_search"}, opencode: []string{"websearch"}},
	{native: []string{"Agent"}, editors: []string{"agent", "custom-agent", "task", "runSubagent"}, gemini: []string{"invoke_agent"},
		docker: []string{"sub_agents", "background_agents"}, opencode: []string{"task"}},
	{native: []string{"TodoWrite"}, editors: []string{"todo", "todowrite", "todos"}, gemini: []string{"write_todos"},
		docker: []string{"todo", "tasks"}, opencode: []string{"todowrite", "todoread"}},
	{native: []string{"Skill"}, editors: []string{"skill"}, gemini: []string{"activate_skill"}, docker: []string{"skills"},
		opencode: []string{"skill"}},
	{native: []string{"Read", "Grep", "Glob", "Edit", "Write"}, docker: []string{"filesystem"}},
}

// FromDocker is the origin of docker-agent's files, which are imported only.
const FromDocker Origin = "docker-agent"

// ToolNames are our names for a tool of another program, tools of MCP servers included; none when it has no counterpart.
func ToolNames(o Origin, name string) []string {
	name = strings.TrimSpace(name)
	switch o {
	case FromCopilot:
		if names := toolNamed(o, name); names != nil {
			return names
		}
		if server, tool, ok := strings.Cut(name, "/"); ok { // search/codebase of an editor, github/get_issue of a server
			if toolNamed(o, server) != nil || strings.EqualFold(server, "vscode") {
				return toolNamed(o, tool)
			}
			return serverTool(server, tool)
		}
		return nil
	case FromGemini:
		if rest, ok := strings.CutPrefix(name, "mcp_"); ok {
			if rest == "*" {
				return []string{"mcp__*"}
			}
			if server, tool, ok := strings.Cut(rest, "_"); ok {
				return serverTool(server, tool)
			}
			return nil
		}
	}
	return toolNamed(o, name)
}

// serverTool is a tool, or all of them, of an MCP server.
func serverTool(server, tool string) []string {
	if server == "" || tool == "" {
		return nil
	}
	clean := strings.NewReplacer("/", "_", ".", "_", " ", "_")
	return []string{"mcp__" + clean.Replace(server) + "__" + clean.Replace(tool)}
}

func toolNamed(o Origin, name string) []string {
	for _, w := range toolWords {
		for _, n := range w.of(o) {
			if n == name || o == FromCopilot && strings.EqualFold(n, name) {
				return w.native
			}
		}
	}
	return nil
}

func (w *toolWord) of(o Origin) []string {
	switch o {
	case FromCopilot:
		return w.editors
	case FromGemini:
		return w.gemini
	case FromDocker:
		return w.docker
	case FromOpencode:
		return w.opencode
	}
	return nil
}
