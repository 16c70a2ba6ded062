package tools_test

import (
	"testing"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
)

// FuzzRules: no rule and no call bring a decision down; what a rule lets pass, the same rule as a refusal stops; a decision
// that is no Allow says why.
func FuzzRules(f *testing.F) {
	for _, seed := range [][2]string{
		{"Bash(git diff *)", "git diff; rm x"}, {"Bash", "ls"}, {"Read(src/**)", "src/main.go"}, {"Edit(../shared/*.{md,txt})", "../shared/s.txt"},
		{"Read(//etc/**)", "/etc/passwd"}, {"Read(~/x)", "out/o.txt"}, {"WebFetch(domain:*.x.com)", "a.x.com"}, {"Agent(a, b*)", "b1"},
		{"mcp__srv__get_*", "x"}, {"deploy(value:prod*)", "prod"}, {"Read([a-)", "a"}, {"Write(./)", "."}, {"*", "x"}, {"Skill(n *)", "n x"},
	} {
		f.Add(seed[0], seed[1])
	}
	at := workspace(f)
	probes := []tools.Tool{bash, read, grep, edit, write, fetch, delegate, plain{"mcp__srv__get_x", true}, plain{"deploy", false}}
	f.Fuzz(func(t *testing.T, text, value string) {
		for _, d := range []tools.Dialect{tools.Native, tools.Claude} {
			r, err := tools.ParseRule(text, d, diag.At("f", 1, 1, 1))
			if err != nil {
				if err.Error() == "" {
					t.Errorf("%q: an error without a text", text)
				}
				continue
			}
			rules := []tools.Rule{r}
			for _, p := range probes {
				c := call(p, value, at)
				granted := (&tools.Rules{Grants: rules}).Decide(p, c, nil)
				asked := (&tools.Rules{All: true, Ask: rules, Allow: rules}).Decide(p, c, rules)
				denied := (&tools.Rules{All: true, Mode: tools.ModeBypass, Deny: rules}).Decide(p, c, nil)
				for _, got := range []tools.Decision{granted, asked, denied} {
					if got.Verdict != tools.Allow && (got.Text == "" || got.Why == "") {
						t.Errorf("%q on %s %q: %v without a reason", text, p.Spec().Name, value, got.Verdict)
					}
				}
				if granted.Verdict == tools.Allow && denied.Verdict != tools.Deny && !searches(p) {
					t.Errorf("%q lets %s %q pass, and as a refusal does not stop it", text, p.Spec().Name, value)
				}
			}
			(&tools.Rules{Grants: rules, Allow: rules, Ask: rules, Deny: rules}).Unused()
			(&tools.Rules{Grants: rules, Deny: rules}).Readable("Grep", at)(value)
		}
	})
}

// searches: the folder of a search may lie above what a rule lets it see, and its results are filtered.
func searches(p tools.Tool) bool { return p.Spec().Name == "Grep" }
