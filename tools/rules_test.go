package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
)

// probe is a tool that reaches what its input names, and does nothing.
type probe struct {
	name     string
	kind     tools.TouchKind
	key      string
	readOnly bool
}

func (p probe) Spec() tools.Spec {
	return tools.NewSpec(p.name, "", json.RawMessage(`{"type":"object"}`), p.readOnly)
}

func (p probe) Call(context.Context, *tools.Call) (tools.Result, error) { return tools.Result{}, nil }

func (p probe) Touches(input json.RawMessage, at tools.Roots) ([]tools.Touch, error) {
	var in map[string]string
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, err
	}
	v := in[p.key]
	if p.key == "file_path" {
		if rest, ok := strings.CutPrefix(v, "//"); ok {
			v = "/" + rest
		}
		if !filepath.IsAbs(v) {
			v = filepath.Join(at.Dir, v)
		}
		v = filepath.Clean(v)
	}
	return []tools.Touch{{Kind: p.kind, Value: v}}, nil
}

// plain is a tool that tells nothing about what it reaches.
type plain struct {
	name     string
	readOnly bool
}

func (p plain) Spec() tools.Spec {
	return tools.NewSpec(p.name, "", json.RawMessage(`{"type":"object"}`), p.readOnly)
}

func (p plain) Call(context.Context, *tools.Call) (tools.Result, error) { return tools.Result{}, nil }

var (
	bash     = probe{"Bash", tools.TouchCommand, "command", false}
	read     = probe{"Read", tools.TouchRead, "file_path", true}
	grep     = probe{"Grep", tools.TouchSearch, "file_path", true}
	edit     = probe{"Edit", tools.TouchWrite, "file_path", false}
	write    = probe{"Write", tools.TouchWrite, "file_path", false}
	fetch    = probe{"WebFetch", tools.TouchHost, "host", true}
	delegate = probe{"WorkWithReviewer", tools.TouchAgent, "agent", false}
)

func rule(t testing.TB, text string, d tools.Dialect) tools.Rule {
	t.Helper()
	r, err := tools.ParseRule(text, d, diag.At("agents/a.md", 3, 1, len(text)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parse(t testing.TB, texts ...string) []tools.Rule {
	t.Helper()
	var out []tools.Rule
	for _, text := range texts {
		out = append(out, rule(t, text, tools.Native))
	}
	return out
}

func call(p tools.Tool, value string, at tools.Roots) *tools.Call {
	key := "value"
	if pr, ok := p.(probe); ok {
		key = pr.key
	}
	b, err := json.Marshal(map[string]string{key: value})
	if err != nil {
		panic(err)
	}
	return &tools.Call{Tool: p.Spec().Name, Input: b, Roots: at}
}

// workspace has files, a link out of it, a link within it and a dangling one.
func workspace(t testing.TB) tools.Roots {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "work")
	for _, f := range []string{"work/src/main.go", "work/docs/a/b.md", "work/.env", "work/lib/src/x.go", "work/secret/a/b/.env", "shared/s.txt", "outside/o.txt"} {
		name := filepath.Join(top, f)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"out": "../outside", "env": ".env", "src/secret": "../secret", "dangling": "../outside/new.txt", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	return tools.Roots{Workspace: dir, Dir: dir}
}

func TestParseRule(t *testing.T) {
	at := diag.At("f", 1, 1, 1)
	for _, tt := range []struct{ text, tool, spec string }{
		{"Bash", "Bash", ""},
		{" Bash( git diff * ) ", "Bash", "git diff *"},
		{"Bash(echo (a))", "Bash", "echo (a)"},
		{"Task(a, b)", "Agent", "a, b"},
		{"mcp__github__*", "mcp__github__*", ""},
		{"WebFetch(domain:*.x.com)", "WebFetch", "domain:*.x.com"},
		{"deploy(env:prod*)", "deploy", "env:prod*"},
		{"Read(../shared/**)", "Read", "../shared/**"},
	} {
		got, err := tools.ParseRule(tt.text, tools.Native, at)
		want := tools.Rule{Text: strings.TrimSpace(tt.text), Tool: tt.tool, Specifier: tt.spec, At: at}
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%q: %v\n%s", tt.text, err, d)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"", "is empty"},
		{"(x)", "names no tool"},
		{"Bash(git", "no closing parenthesis"},
		{"Bash(git) x", "after the closing"},
		{"Bash()", "empty parentheses"},
		{"git diff", "no name of a tool"},
		{"Read(!x)", "begins with !"},
		{"Read([a)", "does not parse"},
		{"Read(*/../x)", ".. after a wildcard"},
		{"WebFetch(x.com)", "domain:HOST"},
		{"WebFetch(domain:https://x)", "no host"},
		{"Agent(a,,b)", "empty name"},
		{"deploy(prod)", "parameter:value"},
		{"Raed(.env)", "did you mean Read?"},
		{"deploy(url:x)", "cannot be matched"},
	} {
		_, err := tools.ParseRule(tt.text, tools.Native, at)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestOffers(t *testing.T) {
	r := tools.Rules{
		Grants:  parse(t, "Read", "Bash(git *)", "Bash(go vet *)", "mcp__github__get_*", "mcp__files", "Write", "mcp__*"),
		Removed: parse(t, "Write", "mcp__files__delete"),
		Deny:    parse(t, "Read(.env)", "mcp__*__get_secret"),
	}
	for _, tt := range []struct {
		name string
		want tools.Effect
		by   []string
	}{
		{"Read", tools.Offered, []string{"Read"}},
		{"Bash", tools.Narrowed, []string{"Bash(git *)", "Bash(go vet *)"}},
		{"Write", tools.Removed, []string{"Write"}},
		{"Edit", tools.NotNamed, nil},
		{"mcp__github__get_issue", tools.Offered, []string{"mcp__github__get_*"}},
		{"mcp__github__get_secret", tools.Removed, []string{"mcp__*__get_secret"}},
		{"mcp__github__push", tools.NotNamed, nil},
		{"mcp__files__read", tools.Offered, []string{"mcp__files"}},
		{"mcp__files__delete", tools.Removed, []string{"mcp__files__delete"}},
		{"mcp__filesystem__read", tools.NotNamed, nil},
	} {
		got := r.Offers(tools.Spec{Name: tt.name})
		var by []string
		for _, b := range got.By {
			by = append(by, b.Text)
		}
		if d := cmp.Diff(tt.by, by); d != "" || got.Effect != tt.want {
			t.Errorf("%s: %v, want %v\n%s", tt.name, got.Effect, tt.want, d)
		}
	}
	if got := (&tools.Rules{}).Offers(tools.Spec{Name: "Read"}); got.OK() {
		t.Errorf("the zero Rules offers Read: %v", got.Effect)
	}
	planned := tools.Rules{All: true, Mode: tools.ModePlan}
	if got := planned.Offers(tools.Spec{Name: "Write"}).Effect; got != tools.Withheld {
		t.Errorf("plan mode: Write is %v", got)
	}
	if got := planned.Offers(tools.Spec{Name: "Read", ReadOnly: true}).Effect; got != tools.Offered {
		t.Errorf("plan mode: Read is %v", got)
	}
}

// TestStartable: a tool is taken away with the last of the agents that it can start.
func TestStartable(t *testing.T) {
	for _, tt := range []struct {
		deny, left, by string
	}{
		{"", "b c", ""},
		{"Agent", "", "Agent"},
		{"Task(b)", "c", "Task(b)"},
		{"Agent(b) Agent(c)", "", "Agent(b) Agent(c)"},
		{"Agent(*)", "", "Agent(*)"},
		{"Agent(model:opus)", "b c", ""},
		{"Bash Read(b)", "b c", ""},
	} {
		list := parse(t, strings.Fields(tt.deny)...)
		for _, r := range []tools.Rules{{All: true, Deny: list}, {All: true, Removed: list}} {
			left, by := r.Startable([]string{"b", "c"})
			var rules []string
			for _, b := range by {
				rules = append(rules, b.Text)
			}
			if strings.Join(left, " ") != tt.left || strings.Join(rules, " ") != tt.by {
				t.Errorf("%q leaves %v, by %v", tt.deny, left, rules)
			}
			want := tools.Offered
			if tt.left == "" {
				want = tools.Removed
			}
			if got := r.Offers(tools.Spec{Name: "WorkWithBoth", Agents: []string{"b", "c"}}).Effect; got != want {
				t.Errorf("%q: the tool is %v, want %v", tt.deny, got, want)
			}
		}
	}
}

// TestDecide walks the order: offered, deny, plan, ask, allow, outside, the rest.
func TestDecide(t *testing.T) {
	at := workspace(t)
	outside := filepath.Join(filepath.Dir(at.Dir), "outside", "o.txt")
	all := tools.Rules{All: true}
	with := func(f func(*tools.Rules)) tools.Rules { r := all; f(&r); return r }
	for _, tt := range []struct {
		name  string
		rules tools.Rules
		tool  tools.Tool
		value string
		want  tools.Verdict
		why   string
	}{
		{"not named", tools.Rules{Grants: parse(t, "Read")}, bash, "ls", tools.Deny, tools.WhyRule},
		{"listed needs no approval", tools.Rules{Grants: parse(t, "Bash")}, bash, "rm x", tools.Allow, ""},
		{"inside", all, read, "src/main.go", tools.Allow, ""},
		{"outside", all, read, outside, tools.Deny, tools.WhyOutside},
		{"outside by dots", all, read, "../outside/o.txt", tools.Deny, tools.WhyOutside},
		{"outside by link", all, read, "out/o.txt", tools.Deny, tools.WhyOutside},
		{"new file behind a dangling link", all, write, "dangling", tools.Deny, tools.WhyOutside},
		{"link to itself", all, read, "loop", tools.Deny, tools.WhyRule},
		{"outside, named by allow", with(func(r *tools.Rules) { r.Allow = parse(t, "Read(../outside/**)") }), read, outside, tools.Allow, ""},
		{"outside, named by a specifier", tools.Rules{Grants: parse(t, "Read(../outside/**)")}, read, outside, tools.Allow, ""},
		{"outside, bypass", with(func(r *tools.Rules) { r.Mode = tools.ModeBypass }), read, outside, tools.Allow, ""},
		{"deny beats allow", with(func(r *tools.Rules) { r.Deny = parse(t, "Read(.env)"); r.Allow = parse(t, "Read") }), read, ".env", tools.Deny, tools.WhyRule},
		{"deny in bypass", with(func(r *tools.Rules) { r.Deny = parse(t, "Bash(rm *)"); r.Mode = tools.ModeBypass }), bash, "rm x", tools.Deny, tools.WhyRule},
		{"perhaps denied in bypass", with(func(r *tools.Rules) { r.Deny = parse(t, "Bash(rm *)"); r.Mode = tools.ModeBypass }), bash, "$x y", tools.Deny, tools.WhyRule},
		{"perhaps denied asks", with(func(r *tools.Rules) { r.Deny = parse(t, "Bash(rm *)") }), bash, "$x y", tools.Ask, tools.WhyRule},
		{"unknown, but no rule about commands", all, bash, "$x y", tools.Allow, ""},
		{"ask beats allow", with(func(r *tools.Rules) { r.Ask = parse(t, "Write"); r.Allow = parse(t, "Write") }), write, "x", tools.Ask, tools.WhyRule},
		{"ask, deny-asks", with(func(r *tools.Rules) { r.Ask = parse(t, "Write"); r.Mode = tools.ModeDenyAsks }), write, "x", tools.Deny, tools.WhyMode},
		{"ask, accept-edits inside", with(func(r *tools.Rules) { r.Ask = parse(t, "Write"); r.Mode = tools.ModeAcceptEdits }), write, "x", tools.Allow, ""},
		{"ask, accept-edits elsewhere", with(func(r *tools.Rules) { r.Ask = parse(t, "Write"); r.Mode = tools.ModeAcceptEdits }), write, outside, tools.Ask, tools.WhyRule},
		{"ask, accept-edits is no leave for Bash", with(func(r *tools.Rules) { r.Ask = parse(t, "Bash"); r.Mode = tools.ModeAcceptEdits }), bash, "ls", tools.Ask, tools.WhyRule},
		{"ask, bypass", with(func(r *tools.Rules) { r.Ask = parse(t, "Bash"); r.Mode = tools.ModeBypass }), bash, "ls", tools.Allow, ""},
		{"redirection outside by an unrestricted shell", all, bash, "echo x > ../outside/o.txt", tools.Allow, ""}, // the sandbox's business
		{"plan", with(func(r *tools.Rules) { r.Mode = tools.ModePlan; r.Allow = parse(t, "Write") }), write, "x", tools.Deny, tools.WhyMode},
		{"inherited writing tool", with(func(r *tools.Rules) { r.Asking = true }), write, "x", tools.Ask, tools.WhyRule},
		{"inherited reading tool", with(func(r *tools.Rules) { r.Asking = true }), read, "src/main.go", tools.Allow, ""},
		{"inherited, allowed", with(func(r *tools.Rules) { r.Asking = true; r.Allow = parse(t, "Bash(go *)") }), bash, "go vet && go build", tools.Allow, ""},
		{"inherited, half allowed", with(func(r *tools.Rules) { r.Asking = true; r.Allow = parse(t, "Bash(go *)") }), bash, "go vet && make", tools.Ask, tools.WhyRule},
		{"forgetting", all, plain{"MemoryForget", false}, "", tools.Ask, tools.WhyRule},
		{"hosts", tools.Rules{Grants: parse(t, "WebFetch(domain:*.x.com)")}, fetch, "A.b.X.com.", tools.Allow, ""},
		{"hosts, the domain itself", tools.Rules{Grants: parse(t, "WebFetch(domain:*.x.com)")}, fetch, "x.com", tools.Deny, tools.WhyRule},
		{"hosts, a suffix", tools.Rules{Grants: parse(t, "WebFetch(domain:x.com)")}, fetch, "evilx.com", tools.Deny, tools.WhyRule},
		{"hosts, star within a label", tools.Rules{Grants: parse(t, "WebFetch(domain:api-*.x.com)")}, fetch, "api-1.evil.x.com", tools.Deny, tools.WhyRule},
		{"delegation", with(func(r *tools.Rules) { r.Deny = parse(t, "Agent(rev*)") }), delegate, "reviewer", tools.Deny, tools.WhyRule},
		{"delegation to another", with(func(r *tools.Rules) { r.Deny = parse(t, "Agent(a, b)") }), delegate, "reviewer", tools.Allow, ""},
		{"all delegation", with(func(r *tools.Rules) { r.Deny = parse(t, "Agent") }), delegate, "reviewer", tools.Deny, tools.WhyRule},
		{"MCP", with(func(r *tools.Rules) { r.Deny = parse(t, "mcp__srv") }), plain{"mcp__srv__x", true}, "", tools.Deny, tools.WhyRule},
		{"parameter", with(func(r *tools.Rules) { r.Deny = parse(t, "deploy(value:prod*)") }), plain{"deploy", false}, "prod-1", tools.Deny, tools.WhyRule},
		{"parameter of another value", with(func(r *tools.Rules) { r.Deny = parse(t, "deploy(value:prod*)") }), plain{"deploy", false}, "test", tools.Allow, ""},
		{"parameter never grants", tools.Rules{Grants: parse(t, "deploy(value:prod*)")}, plain{"deploy", false}, "prod", tools.Deny, tools.WhyRule},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.rules.Decide(tt.tool, call(tt.tool, tt.value, at), nil)
			if got.Verdict != tt.want || got.Why != tt.why {
				t.Errorf("got %v (%s), want %v (%s)\n%s", got.Verdict, got.Why, tt.want, tt.why, got.Text)
			}
			if got.Verdict != tools.Allow && got.Text == "" {
				t.Error("no text")
			}
		})
	}
}

func TestGrantedPreApproves(t *testing.T) {
	at := workspace(t)
	r := tools.Rules{All: true, Asking: true}
	if got := r.Decide(bash, call(bash, "go vet ./...", at), parse(t, "Bash(go vet *)")); got.Verdict != tools.Allow {
		t.Errorf("with the skill's rule: %v", got.Verdict)
	}
	r = tools.Rules{Grants: parse(t, "Read")}
	if got := r.Decide(bash, call(bash, "go vet ./...", at), parse(t, "Bash")); got.Verdict != tools.Deny {
		t.Errorf("a skill's rule offered a tool: %v", got.Verdict)
	}
}

func TestPathPatterns(t *testing.T) {
	at := workspace(t)
	for _, tt := range []struct {
		pattern, path  string
		allows, denies bool
	}{
		{".env", ".env", true, true},
		{".env", "secret/a/b/.env", true, true},
		{".env", "env", false, true}, // a link to .env
		{"./.env", "secret/a/b/.env", false, true},
		{"/.env", "secret/a/b/.env", false, false},
		{"/.env", ".env", true, true},
		{"src/**", "src/main.go", true, true},
		{"src/**", "lib/src/x.go", false, true},
		{"secret/**", "secret/a/b/.env", true, true}, // P03
		{"secret/**", "src/secret/a/b/.env", false, true},
		{"secret", "secret/a/b/.env", true, true},
		{"docs/*.md", "docs/a/b.md", false, false},
		{"docs/**/*.md", "docs/a/b.md", true, true},
		{"*.go", "lib/src/x.go", true, true},
		{"lib/src/", "lib/src/x.go", true, true},
		{"../shared/**", "../shared/s.txt", true, true}, // P01
		{"../shared/**", "src/../../shared/s.txt", true, true},
		{"docs/**", "docs/../.env", false, false},
		{"/" + at.Dir + "/docs/**", "docs/a/b.md", true, true},
		{"/" + filepath.Dir(at.Dir) + "/outside/**", "out/o.txt", false, true}, // P02: by target
		{"out/**", "out/o.txt", false, true},                                   // by link
		{"{docs,src}/**", "docs/a/b.md", true, true},
		{"[sd]rc/main.go", "src/main.go", true, true},
		{"**", "docs/a/b.md", true, true},
		{"new/**", "new/file/that/is/not/there", true, true},
	} {
		t.Run(tt.pattern+" "+tt.path, func(t *testing.T) {
			c := call(read, tt.path, at)
			r := tools.Rules{Grants: parse(t, "Read("+tt.pattern+")")}
			if got := r.Decide(read, c, nil).Verdict == tools.Allow; got != tt.allows {
				t.Errorf("allows %v, want %v", got, tt.allows)
			}
			r = tools.Rules{All: true, Mode: tools.ModeBypass, Deny: parse(t, "Read("+tt.pattern+")")}
			if got := r.Decide(read, c, nil).Verdict == tools.Deny; got != tt.denies {
				t.Errorf("denies %v, want %v", got, tt.denies)
			}
		})
	}
}

// TestDialects: which tools a path rule covers.
func TestDialects(t *testing.T) {
	at := workspace(t)
	for _, tt := range []struct {
		text                string
		dialect             tools.Dialect
		read, grep, ed, wri bool // denied
	}{
		{"Edit(src/**)", tools.Native, false, false, true, true},
		{"Read(src/**)", tools.Native, true, true, true, true},
		{"Write(src/**)", tools.Native, false, false, false, true},
		{"Write(src/**)", tools.Claude, false, false, true, true},
		{"Glob(src/**)", tools.Claude, true, true, true, true},
		{"Glob(src/**)", tools.Native, false, false, false, false},
		{"Edit", tools.Native, false, false, true, false},
	} {
		t.Run(tt.text, func(t *testing.T) {
			r := tools.Rules{All: true, Deny: []tools.Rule{rule(t, tt.text, tt.dialect)}}
			denied := func(p probe, path string) bool { return r.Decide(p, call(p, path, at), nil).Verdict == tools.Deny }
			got := []bool{denied(read, "src/main.go"), denied(grep, "src"), denied(edit, "src/main.go"), denied(write, "src/new.go")}
			if d := cmp.Diff([]bool{tt.read, tt.grep, tt.ed, tt.wri}, got); d != "" {
				t.Error(d)
			}
		})
	}
	r := tools.Rules{
		All:   true,
		Allow: []tools.Rule{rule(t, "Write(src/**)", tools.Claude), rule(t, "Write(src/**)", tools.Native), rule(t, "mcp__*", tools.Native), rule(t, "x(a:b)", tools.Native)},
		Deny: []tools.Rule{rule(t, "NotebookEdit(a)", tools.Claude), rule(t, "Edit(a)", tools.Claude), rule(t, "Bash(command:rm *)", tools.Claude),
			rule(t, "Bash(command:*)", tools.Claude), rule(t, "Bash(npm:install)", tools.Claude), rule(t, "Read(file_path:x)", tools.Claude)},
		Grants: parse(t, "deploy(env:x)", "mcp__a__*"),
	}
	var got []string
	for _, u := range r.Unused() {
		got = append(got, u.Rule.Text)
	}
	if d := cmp.Diff([]string{"deploy(env:x)", "Write(src/**)", "mcp__*", "x(a:b)", "Bash(command:rm *)", "Read(file_path:x)", "NotebookEdit(a)"}, got); d != "" {
		t.Error(d)
	}
}

func TestReadable(t *testing.T) {
	at := workspace(t)
	for _, tt := range []struct {
		name  string
		rules tools.Rules
		want  map[string]bool
	}{
		{"denied entries", tools.Rules{All: true, Deny: parse(t, "Read(.env)")}, map[string]bool{"src/main.go": true, ".env": false, "env": false, "secret/a/b/.env": false, "out/o.txt": false}},
		{"specifiers of the tool", tools.Rules{Grants: parse(t, "Grep(src/**)")}, map[string]bool{"src/main.go": true, "lib/src/x.go": false, "src/secret/a/b/.env": false}},
		{"outside by a specifier", tools.Rules{Grants: parse(t, "Grep(../shared/**)")}, map[string]bool{"../shared/s.txt": true, "src/main.go": false}},
		{"not offered", tools.Rules{}, map[string]bool{"src/main.go": false}},
		{"asked about", tools.Rules{All: true, Ask: parse(t, "Read(docs/**)", "Grep")}, map[string]bool{"docs/a/b.md": false, "src/main.go": true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := tt.rules.Readable("Grep", at)
			got := map[string]bool{}
			for p := range tt.want {
				got[p] = f(filepath.Join(at.Dir, p))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	// The base of a search may lie above what is allowed: results are filtered.
	r := tools.Rules{Grants: parse(t, "Grep(src/**)")}
	for path, want := range map[string]tools.Verdict{".": tools.Allow, "src": tools.Allow, "docs": tools.Deny, "..": tools.Allow, "/etc": tools.Deny} {
		if got := r.Decide(grep, call(grep, path, at), nil).Verdict; got != want {
			t.Errorf("Grep in %s: %v, want %v", path, got, want)
		}
	}
}

func TestRefusalText(t *testing.T) {
	at := workspace(t)
	r := tools.Rules{Grants: parse(t, "Bash(git diff *)"), Deny: parse(t, "Bash(git diff --stat *)")}
	for _, tt := range []struct {
		command string
		want    []string
	}{
		{"git diff --stat", []string{"git diff --stat", "Bash(git diff --stat *) (agents/a.md:3:1)", "do not work around"}},
		{"git diff; rm x", []string{`"rm x" is not covered`, "Bash(git diff *) (agents/a.md:3:1)", "may use Bash only as Bash(git diff *)"}},
		{"git diff > x", []string{"write x", "needs Edit or Write"}},
	} {
		got := r.Decide(bash, call(bash, tt.command, at), nil)
		for _, want := range tt.want {
			if !strings.Contains(got.Text, want) {
				t.Errorf("%s: %q is missing in %q", tt.command, want, got.Text)
			}
		}
	}
	asks := tools.Rules{All: true, Ask: parse(t, "Write", "Bash")}
	d := asks.Decide(write, call(write, "src/n*w.go", at), nil)
	if got, want := d.Always, `Write(./src/n\*w.go)`; got != want {
		t.Errorf("always: %q, want %q", got, want)
	}
	d = d.Refuse(tools.WhyNoTerminal)
	if d.Verdict != tools.Deny || d.Why != tools.WhyNoTerminal || !strings.Contains(d.Text, "nobody is there") || !strings.Contains(d.Text, `n\\*w.go`) {
		t.Errorf("refused: %+v", d)
	}
	for _, command := range []string{"git push origin main", "sudo make", "FOO=1 make", "a; b", "ls *.go"} {
		d := asks.Decide(bash, call(bash, command, at), nil)
		if d.Always == "" {
			continue
		}
		narrowed := tools.Rules{Grants: parse(t, d.Always)}
		if got := narrowed.Decide(bash, call(bash, command, at), nil); got.Verdict != tools.Allow {
			t.Errorf("%s: the rule %s does not let it pass: %s", command, d.Always, got.Text)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	at := workspace(b)
	rules := tools.Rules{
		Grants: parse(b, "Read", "Edit(src/**)", "Bash(git diff *)", "Bash(go test *)"),
		Deny:   parse(b, "Read(.env)", "Bash(rm *)", "Bash(curl *)", "Edit(/.git/**)", "Read(**/secrets/**)"),
		Ask:    parse(b, "Write", "Bash(git push *)"),
	}
	for _, tt := range []struct {
		name, value string
		tool        tools.Tool
	}{{"Read", "src/main.go", read}, {"Bash", "git diff --stat | git diff -- src && go test ./...", bash}} {
		c := call(tt.tool, tt.value, at)
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				if d := rules.Decide(tt.tool, c, nil); d.Verdict != tools.Allow {
					b.Fatal(d.Text)
				}
			}
		})
	}
	b.Run("Readable", func(b *testing.B) {
		ok := rules.Readable("Read", at)
		path := filepath.Join(at.Dir, "src/main.go")
		for b.Loop() {
			if !ok(path) {
				b.Fatal("not readable")
			}
		}
	})
}
