package config

import (
	"fmt"
	"strings"
)

// Reference is the table of all fields of a kind as Markdown; docs/reference.md is made of them. Empty: the kind has none.
func Reference(kind Kind) string {
	var b strings.Builder
	switch kind {
	case KindSettings:
		heading(&b, "Settings: `swarmrun.yaml`", "An unknown key, a value of the wrong type or out of its range is an error.")
		rows(&b, settingsTable.Get())
		part(&b, "A model under `models`", modelTable.Get())
		part(&b, "`price` of a model", priceTable.Get())
		part(&b, "A provider under `providers`", providerTable.Get())
		part(&b, "`limits` of a provider", limitsTable.Get())
		part(&b, "`breaker` of a provider", breakerTable.Get())
		part(&b, "`sandbox`", sandboxTable.Get())
		part(&b, "`retry`, here and in agents", retryTable.Get())
		part(&b, "`permissions`, here and in agents", permissionTable.Get())
		part(&b, "`budget`, here and in agents", budgetTable.Get())
	case KindAgent:
		heading(&b, "Agent: `agents/<any>.md`", "The body is the prompt. An unknown key is a warning, inside a map an error. Two spellings of one field are an error.")
		rows(&b, agentTable.Get())
		part(&b, "An entry of `delegates_to`", delegateFields.Get())
		part(&b, "`parameters`, here and of models", parameterTable())
		part(&b, "`thinking`", thinkingTable.Get())
		part(&b, "`context`", contextTable.Get())
	case KindSkill:
		heading(&b, "Skill: `skills/<name>/SKILL.md`", "The body is what a model reads when it loads the skill. The open specification knows `name`, `description`, `license`, `compatibility`, `metadata` and `allowed-tools`; other keys are a lint.")
		rows(&b, skillTable.Get())
	case KindCommand:
		heading(&b, "Slash command: `.claude/commands/<name>.md`", "The body is a prompt; `swarmrun run /name` sends it. The frontmatter may be missing.")
		rows(&b, commandTable.Get())
	case KindTool:
		heading(&b, "Custom tool: `tools/<any>.md`", "The first fenced block of the body is the script where `run` is absent; the rest is notes for the model.")
		rows(&b, toolTable.Get())
	case KindHook:
		heading(&b, "Hook: `hooks/<any>.md`", "The first fenced block of the body is the script where `run`, `http`, `prompt` and `go` are absent; the rest is documentation.")
		rows(&b, hookTable.Get())
	case KindMCP:
		heading(&b, "MCP server: `mcp/<any>.md`", "The body says how to use the server; it is added to the prompt of agents that have it. `${VAR}` stands for a variable of the environment in command, args, env, cwd, url, headers and client_secret.")
		rows(&b, mcpTable.Get())
		part(&b, "`auth`", mcpAuthTable.Get())
	case KindModel:
		heading(&b, "Script model: `models/<name>.yaml`", "The model is `script/<name>`. `${VAR}` stands for a variable of the environment, as in the settings; a `${` that the shell shall see is written `$${`.")
		rows(&b, scriptTable.Get())
		part(&b, "A rule", ruleTable.Get())
		part(&b, "`when`", whenTable.Get())
		part(&b, "`reply`", replyTable.Get())
		part(&b, "An entry of `tool_calls`", callTable.Get())
		part(&b, "`usage`", usageTable.Get())
		part(&b, "`error`", failureTable.Get())
	case KindJob:
		heading(&b, "CI job: `jobs/<name>.yaml`", "An unknown key is an error. `${VAR}` stands for a variable of the environment; `${{ }}` holds an expression over `matrix`, `vars` and `job`, in a line for the shell only as `${{ shell(…) }}`.")
		rows(&b, jobTable.Get())
		part(&b, "A case: the fields above but for `name`, `needs`, `matrix` and `cases`; what it does not say, the job says", caseNames())
		part(&b, "`setup`", setupTable.Get())
		part(&b, "A shell step", shellTable.Get())
		part(&b, "`limits` of a job", jobLimitsTable.Get())
		part(&b, "An entry of `expect`: one of these keys", assertionTable.Get())
		part(&b, "`json`", jsonCheckTable.Get())
		part(&b, "`tool_called`; `tool_not_called` and entries of `tool_order` without times", callCheckTable.Get())
		part(&b, "`tool_result`", resultCheckTable.Get())
		part(&b, "`hook_blocked`", hookCheckTable.Get())
		part(&b, "`event`", eventCheckTable.Get())
		part(&b, "`file`", fileCheckTable.Get())
		part(&b, "`diff`", diffCheckTable.Get())
		part(&b, "`command`", commandCheckTable.Get())
		part(&b, "`judge`", judgeCheckTable.Get())
	}
	return b.String()
}

func heading(b *strings.Builder, title, text string) { fmt.Fprintf(b, "## %s\n\n%s\n\n", title, text) }

func part[T any](b *strings.Builder, title string, t *table[T]) {
	fmt.Fprintf(b, "\n### %s\n\n", title)
	rows(b, t)
}

func rows[T any](b *strings.Builder, t *table[T]) { t.write(b, t.rest != nil) }

// write shows the fields that do something as a table, the others as a list.
func (ks *keys) write(b *strings.Builder, open bool) {
	b.WriteString("| key | value | default | meaning | example |\n|---|---|---|---|---|\n")
	var idle []string
	for _, f := range ks.all {
		if f.inactive {
			idle = append(idle, fmt.Sprintf("`%s` (%s)", f.key, f.doc))
			continue
		}
		key := "`" + f.key + "`"
		if f.required {
			key += " (required)"
		}
		for _, n := range f.names {
			key += ", `" + n + "`"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | `%s` |\n", key, cell(f.words), cell(f.def), cell(f.doc), cell(f.example))
	}
	if open {
		b.WriteString("| any other | any | | passed on as it is | |\n")
	}
	if len(idle) > 0 {
		fmt.Fprintf(b, "\nUnderstood, reported, and without effect in this version: %s.\n", strings.Join(idle, ", "))
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
