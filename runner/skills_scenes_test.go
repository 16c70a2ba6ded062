package runner_test

import (
	"testing"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/providers/script"
	"github.com/swarmrun/swarmrun/runner"
	"github.com/swarmrun/swarmrun/skills"
	"github.com/swarmrun/swarmrun/tools"
)

// skilled is an agent with skills.
func skilled(t *testing.T, all []*skills.Skill, rules ...script.Rule) *agents.Agent {
	t.Helper()
	a := worker(t, rules...)
	a.Skills = skills.New(all, nil)
	return a
}

func turn(n string, r script.Reply) script.Rule {
	return script.Rule{When: []script.When{{Turn: n}}, Reply: r}
}

// disclosures are the scenes with skills.
func disclosures(t *testing.T) map[string]*scene {
	notes := &skills.Skill{Name: "notes", Description: "Sorts notes.", Text: "Sort $ARGUMENTS by $0.\n", File: "skills/notes/SKILL.md"}
	sums := &skills.Skill{Name: "sums", Description: "Adds <only>.", Text: "Add up.", File: "skills/sums/SKILL.md",
		Only: []skills.Rule{{Text: "add"}}, Refused: []skills.Rule{{Text: "slow"}}}
	shell := &skills.Skill{Name: "shell", Description: "Looks at the log.", Text: "Log:\n!`git log`\n", File: "skills/shell/SKILL.md"}
	req := runner.Request{Input: "work"}
	all := map[string]*scene{}

	all["skill_loaded"] = &scene{agents: []*agents.Agent{skilled(t, []*skills.Skill{notes, sums},
		turn("1", use(call("LoadSkill", `{"name":"notes","arguments":"date"}`), call("LoadSkill", `{"name":"gone"}`))),
		turn("2", use(call("LoadSkill", `{"name":"notes"}`))),
		script.Rule{Reply: say("{{ .System }}")},
	)}, req: req}

	all["skill_narrows"] = &scene{agents: []*agents.Agent{skilled(t, []*skills.Skill{notes, sums},
		turn("1", use(call("LoadSkill", `{"name":"sums"}`), call("refuses", `{}`))),
		turn("2", use(call("refuses", `{}`), call("slow", `{}`), call("add", `{"a":1,"b":2}`))),
		turn("3", use(call("LoadSkill", `{"name":"notes"}`))),
		turn("4", use(call("refuses", `{}`), call("slow", `{}`))),
		script.Rule{Reply: say("done")},
	)}, req: req}

	a := skilled(t, []*skills.Skill{notes, sums},
		turn("1", use(call("LoadSkill", `{"name":"sums"}`))),
		script.Rule{Reply: say("{{ .System }}")})
	a.Rules.Deny = []tools.Rule{rule(t, "Skill(sums)")}
	a.Skills = skills.New([]*skills.Skill{notes, sums, shell}, nil).With([]*skills.Skill{notes}, []string{"gone"})
	all["skill_whole"] = &scene{agents: []*agents.Agent{a}, req: req}

	all["skill_refused"] = &scene{agents: []*agents.Agent{skilled(t, []*skills.Skill{shell},
		turn("1", use(call("LoadSkill", `{"name":"shell"}`))),
		script.Rule{Reply: say("done")},
	)}, req: req}

	fix := &skills.Skill{Name: "fix", Command: true, Text: "Fix $0: $1.", Refused: []skills.Rule{{Text: "slow"}}}
	called := func(k *skills.Skill, input string) *scene {
		return &scene{
			agents:   []*agents.Agent{worker(t, turn("1", use(call("slow", `{"seconds":1}`), call("add", `{"a":1,"b":2}`))), script.Rule{Reply: say("{{ .Prompt }}")})},
			commands: skills.New([]*skills.Skill{k}, nil), req: runner.Request{Command: k.Name, Input: input},
		}
	}
	all["command"] = called(fix, `42 "the door"`)
	all["command_skill"] = called(notes, "date")
	all["command_refused"] = called(shell, "")
	all["command_refused"].wantErr = "permission_denied"
	return all
}
