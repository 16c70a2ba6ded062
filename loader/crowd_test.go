package loader

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// crowd writes files as people publish them: kinds, fields, sizes and faults in the shares that were counted in 29 public
// repositories. The same seed makes the same files.
type crowd struct {
	t     testing.TB
	root  string
	rng   *rand.Rand
	files map[string]state
}

// state is what must become of a file.
type state int

const (
	good     state = iota // loads
	mended                // loads after a repair, with a warning
	omitted               // is left out, with a reason
	whatever              // one of these: a name that others have too
)

// share is true in part of total cases, the first ones of each thousand first, so that the count is exact.
func share(i, n, part, total int) bool { return i*total/n < part }

// pick is one of weighted values.
func (c *crowd) pick(weighted ...any) string {
	sum := 0
	for i := 1; i < len(weighted); i += 2 {
		sum += weighted[i].(int)
	}
	at := c.rng.IntN(sum)
	for i := 1; i < len(weighted); i += 2 {
		if at -= weighted[i].(int); at < 0 {
			return weighted[i-1].(string)
		}
	}
	return ""
}

func (c *crowd) add(name, text string, s state) {
	c.files[name] = s
	write(c.t, c.root, name, text)
}

// prose is text of about n characters.
func (c *crowd) prose(n int) string {
	words := []string{"review", "the", "code", "and", "tell", "what", "breaks", "when", "a", "reader", "asks", "for", "tests", "first", "`run`", "- item", "\n\n## Steps\n"}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[c.rng.IntN(len(words))])
		b.WriteByte(' ')
	}
	return b.String()
}

// size is a length that most texts stay below and some exceed by far.
func (c *crowd) size(median, longest int) int {
	n := median/2 + c.rng.IntN(median)
	if c.rng.IntN(10) == 0 {
		n = median + c.rng.IntN(longest-median)
	}
	return n
}

// toolList is tools in the three ways they are written, now and then with names of another program.
func (c *crowd) toolList() string {
	names := []string{"Read", "Write", "Edit", "Bash", "Grep", "Glob", "WebFetch", "WebSearch", "TodoWrite", "Task", "Bash(git diff *)", "mcp__github__*", "search/codebase", "problems"}
	c.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	some := names[:1+c.rng.IntN(6)]
	switch c.pick("comma", 681, "list", 268, "one", 11) {
	case "comma":
		return strings.Join(some, ", ")
	case "list":
		return `["` + strings.Join(some, `", "`) + `"]`
	}
	return "Read"
}

func (c *crowd) agents(n int) {
	for i := range n {
		name := fmt.Sprintf("agent-%d", i)
		file := fmt.Sprintf(".claude/agents/%s/%s.md", c.pick("core", 5, "lang", 4, "ops", 2), name)
		body := c.prose(c.size(2500, 20000))
		desc, s := "Use it to "+strings.ReplaceAll(c.prose(c.size(160, 900)), "\n", " ")+".", good
		desc = strings.NewReplacer("#", "", "`", "").Replace(desc)
		switch {
		case share(i, n, 34, 1474):
			c.add(file, "# "+name+"\n\n"+body, omitted)
			continue
		case share(i, n, 34+33, 1474):
			c.add(file, "---\ndescription: "+desc+"\n---\n"+body, omitted)
			continue
		case share(i, n, 67+66, 1474):
			desc, s = "Use for two jobs: "+desc, mended
		case share(i, n, 133+23, 1474):
			desc, s = desc+"\n\n<example>\nContext: late: night\nuser: \"hi\"\nassistant: \"ok\"\n</example>", mended
		case share(i, n, 156+202, 1474):
			desc += `\n\nExamples:\n- one`
		}
		if share(i, n, 156+338, 1474) && !share(i, n, 156, 1474) {
			name = fmt.Sprintf("shared-%d", i%105) // copies and translations
			if s == good {
				s = whatever
			}
		}
		var b strings.Builder
		fmt.Fprintf(&b, "---\nname: %s\ndescription: %s\n", name, desc)
		if c.rng.IntN(100) < 65 {
			fmt.Fprintf(&b, "tools: %s\n", c.toolList())
		}
		if c.rng.IntN(100) < 62 {
			fmt.Fprintf(&b, "model: %s\n", c.pick("sonnet", 486, "claude-sonnet-4-20250514", 136, "opus", 134, "inherit", 98, "haiku", 61, "Claude Sonnet 4.5 (copilot)", 9))
		}
		for _, rare := range []string{"permissionMode: plan", "effort: high", "maxTurns: 8", "memory: project", "allowedTools: Read", "color: red"} {
			if c.rng.IntN(200) == 0 || rare == "color: red" && c.rng.IntN(2) == 0 {
				b.WriteString(rare + "\n")
			}
		}
		c.add(file, b.String()+"---\n\n"+body+"\n", s)
	}
}

func (c *crowd) skills(n int) {
	for i := range n {
		name := fmt.Sprintf("skill-%d", i)
		file := fmt.Sprintf("%s/%s/%s/SKILL.md", c.pick(".claude/skills", 2, ".agents/skills", 1), c.pick("writing", 3, "code", 5, "data", 2), name)
		body := c.prose(c.size(3000, 24000))
		desc, s := "Knows how to "+strings.NewReplacer("\n", " ", "#", "", "`", "").Replace(c.prose(c.size(180, 1200))), good
		var extra string
		switch {
		case share(i, n, 6, 2651):
			c.add(file, body, whatever)
			continue
		case share(i, n, 6+17, 2651):
			desc, s = "Two things: "+desc, mended
		case share(i, n, 23+834, 2651):
			name, s = fmt.Sprintf("common-%d", i%259), whatever
		}
		if c.rng.IntN(100) < 41 {
			extra = c.pick("origin: web\n", 644, "version: 1.0\n", 237, "source: git\n", 173, "author: me\n", 160, "tags: [a, b]\n", 135)
		}
		if c.rng.IntN(25) == 0 {
			extra += "metadata: {stars: 3, deep: {a: b}}\n"
		}
		if c.rng.IntN(20) == 0 {
			extra += "allowed-tools: " + c.toolList() + "\n"
		}
		c.add(file, fmt.Sprintf("---\nname: %s\ndescription: %s\n%s---\n%s", name, desc, extra, body), s)
	}
}

func (c *crowd) commands(n int) {
	for i := range n {
		file := fmt.Sprintf(".claude/commands/%s/command-%d.md", c.pick("git", 3, "docs", 2), i)
		body := c.prose(c.size(1500, 9000)) + "\n$ARGUMENTS\n"
		switch {
		case share(i, n, 226, 1072):
			c.add(file, body, good)
		case share(i, n, 226+200, 1072):
			c.add(file, "---\nargument-hint: [file] [--fast]\ndescription: Does it.\n---\n"+body, mended)
		case share(i, n, 426+21, 1072):
			c.add(file, "---\ndescription: Two: parts\n---\n"+body, mended)
		default:
			c.add(file, "---\ndescription: Does it.\nallowed-tools: Bash(git status:*), Read\n---\n"+body, good)
		}
	}
}

func (c *crowd) editors(agents, instructions, prompts int) {
	for i := range agents {
		c.add(fmt.Sprintf(".github/agents/copilot-%d.agent.md", i), fmt.Sprintf("---\ndescription: 'Helps.'\ntools: ['%s', 'search', 'github/*']\nmodel: %s\n---\n%s",
			c.pick("codebase", 5, "edit/editFiles", 4, "vscodeAPI", 1), c.pick("GPT-5 (copilot)", 2, "Claude Sonnet 4.5 (copilot)", 3), c.prose(c.size(3000, 20000))), good)
	}
	for i := range instructions {
		text := fmt.Sprintf("---\napplyTo: '%s'\ndescription: Style.\n---\n%s", c.pick("**/*.ts,**/*.tsx", 3, "**", 2, "src/**/*.{go,mod}", 1), c.prose(c.size(2500, 15000)))
		if share(i, instructions, 6, 192) {
			text = c.prose(400)
		}
		c.add(fmt.Sprintf(".github/instructions/rule-%d.instructions.md", i), text, good)
	}
	for i := range prompts {
		c.add(fmt.Sprintf(".github/prompts/prompt-%d.prompt.md", i), "---\nmode: agent\ndescription: Does it.\n---\nDo ${input:what}.\n", whatever)
	}
}

// hopeless are faults of issue threads that no counted file has.
func (c *crowd) hopeless() {
	for name, text := range map[string]string{
		"twice": "---\nname: twice\nname: again\ndescription: D.\n---\nB\n", "tab": "---\nname: tab\n\tdescription: D.\n---\nB\n",
		"open": "---\nname: open\ndescription: D.\nB\n", "code": "```yaml\n---\nname: code\n---\n```\n", "latin": "---\nname: latin\ndescription: caf\xe9\n---\nB\n",
		"wide": "\xff\xfe-\x00-\x00-\x00\n\x00", "nodesc": "---\nname: nodesc\n---\nB\n", "anchor": "---\nname: &a anchor\ndescription: *a\n---\nB\n", "colon": "---\nname: a:b\ndescription: D.\n---\nB\n",
		"list": "---\n- name: list\n---\nB\n",
	} {
		c.add(".claude/agents/broken/"+name+".md", text, omitted)
	}
	c.add(".claude/agents/broken/bom.md", "\ufeff---\r\nname: bom\r\ndescription: D.\r\n---\r\nB\r\n", good)
}

// newCrowd writes 5,000 files.
func newCrowd(t testing.TB) *crowd {
	t.Helper()
	c := &crowd{t: t, root: t.TempDir(), rng: rand.New(rand.NewPCG(5, 970)), files: map[string]state{}}
	c.agents(1299)
	c.skills(2360)
	c.commands(953)
	c.editors(202, 171, 4)
	c.hopeless()
	return c
}

func BenchmarkCrowd(b *testing.B) {
	c := newCrowd(b)
	env, _ := testEnv(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Check(b.Context(), c.root, &Options{Env: env, Environ: []string{}}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestCrowd loads 5,000 real-looking files: every one loads, is repaired with a warning, or is named with a reason. The time
// is printed only: it depends on the machine.
func TestCrowd(t *testing.T) {
	c := newCrowd(t)
	if len(c.files) != 5000 {
		t.Fatalf("%d files", len(c.files))
	}
	env, _ := testEnv(t)
	began := time.Now()
	r, err := Check(t.Context(), c.root, &Options{Env: env, Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files in %v", len(c.files), time.Since(began).Round(time.Millisecond))
	status := map[string]config.Status{}
	for _, d := range r.Definitions {
		status[d.File] = d.Status
	}
	reasons, repairs, why := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, d := range r.Diagnostics {
		reasons[d.Range.File] = true
		if d.Severity == diag.Error {
			why[d.Range.File] = d.Summary
		}
		repairs[d.Range.File] = repairs[d.Range.File] || strings.HasPrefix(string(d.Code), "W-YAML-")
	}
	counts := map[config.Status]int{}
	for file, want := range c.files {
		got, found := status[file]
		counts[got]++
		switch lost := got == config.Skipped || got == config.Broken; {
		case !found:
			t.Errorf("%s is not listed", file)
		case lost && !reasons[file]:
			t.Errorf("%s is %s and nobody says why", file, got)
		case got == config.Repaired && !repairs[file]:
			t.Errorf("%s was repaired without a word", file)
		case want == good && got != config.Loaded, want == mended && got != config.Repaired,
			want == omitted && !lost:
			t.Errorf("%s is %s: %s", file, got, why[file])
		}
	}
	want := map[config.Status]int{config.Loaded: 3964, config.Repaired: 290, config.Skipped: 736, config.Broken: 10}
	if diff := cmp.Diff(want, counts); diff != "" || len(status) != len(c.files) {
		t.Errorf("%d definitions of %d files: %s", len(status), len(c.files), diff)
	}
}
