package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/loader/standard"
	"github.com/swarmrun/swarmrun/runner"
)

// TestEditsUnderRuns makes random edits, valid and invalid ones, under 32 running agents: every run sees one generation from
// its start to its end, every lease is given back, and every MCP server that started has ended. The one whose settings stay is
// started once and shared by all generations. SWARMRUN_EDITS says how many edits; 60 without it.
func TestEditsUnderRuns(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	edits := 60
	if n, err := strconv.Atoi(os.Getenv("SWARMRUN_EDITS")); err == nil {
		edits = n
	}
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	// Both agents say of which save they are; a run is whole where they say the same.
	agent := func(name, extra string, n int) {
		write("agents/"+name+".md", fmt.Sprintf("---\ndescription: Says what it knows.\nmodel: script/m\n%s---\nSave %d.\n", extra, n))
	}
	save := func(n int) {
		agent("low", "tools: [mcp__steady__look, mcp__other__look]\nmcp: [steady, other]\npermissions: {allow: [mcp__steady__look, mcp__other__look]}\n", n)
		agent("top", "tools: []\ndelegates_to: [low]\n", n)
	}
	write("models/m.yaml", "version: 1\nrules:\n"+
		"  - {when: {agent: low, turn: 1}, reply: {tool_calls: [{name: mcp__steady__look}, {name: mcp__other__look}]}}\n"+
		"  - {when: {agent: low}, reply: {text: \"{{ .System }} {{ join .Results }}\"}}\n"+
		"  - {when: {agent: top, turn: 1}, reply: {text: \"{{ .System }}\", tool_calls: [{name: WorkWithLow, input: {message: go}}]}}\n"+
		"  - {when: {agent: top}, reply: {text: \"{{ .System }} {{ join .Results }}\"}}\n")
	write("server.sh", lookingServer)
	write("log/servers", "")
	server := func(name string, n int) {
		write("mcp/"+name+".md", fmt.Sprintf("---\ncommand: sh\nargs: [server.sh, %s, \"%d\"]\nsandbox: {write: [log]}\n---\n", name, n))
	}
	server("steady", 0)
	server("other", 0)
	others := 1
	save(0)
	live, err := loader.Open(t.Context(), dir, &loader.Options{Env: standard.Environment(), Environ: []string{"PATH=" + os.Getenv("PATH")}, Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	leased := &leased{Live: live}
	run := runner.New(leased, nil)
	var stop atomic.Bool
	var runs atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for !stop.Load() {
				res, _ := run.Do(t.Context(), runner.Request{Target: "top", Input: "go"}, nil)
				saves := savesIn(res.Text())
				if !res.OK || len(saves) != 2 || saves[0] != saves[1] || strings.Count(res.Text(), "seen") != 2 {
					t.Errorf("a run saw the saves %v: %s %s", saves, res.Message, res.Text())
					return
				}
				runs.Add(1)
			}
		})
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	published := 0
	for n := 1; n <= edits && !t.Failed(); n++ {
		save(n)
		if rnd.IntN(3) == 0 {
			write("agents/low.md", []string{"---\nname: low\n", "---\nname: [\n---\n", "---\ndescription: D.\ntools: [Raed]\n---\nText.\n"}[rnd.IntN(3)])
		}
		if n%10 == 0 {
			server("other", n)
			others++
		}
		c, err := live.Reload(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if c.Published {
			published++
		}
	}
	stop.Store(true)
	all.Wait()
	if err := live.Close(); err != nil {
		t.Error(err)
	}
	if published < edits/3 || runs.Load() == 0 {
		t.Errorf("%d generations and %d runs", published, runs.Load())
	}
	if a, b := leased.taken.Load(), leased.given.Load(); a != b {
		t.Errorf("%d leases were taken and %d given back", a, b)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log", "servers"))
	if err != nil {
		t.Fatal(err)
	}
	count := func(line string) int { return strings.Count(string(log), line+"\n") }
	if a, b := count("steady started"), count("steady ended"); a != 1 || b != 1 {
		t.Errorf("the server whose settings stay was started %d times and ended %d times", a, b)
	}
	if a, b := count("other started"), count("other ended"); a < 2 || a > others || a != b {
		t.Errorf("the server with %d settings was started %d times and ended %d times", others, a, b)
	}
	t.Logf("%d edits, %d generations, %d runs, %d servers", edits, published, runs.Load(), count("other started")+1)
}

// lookingServer is an MCP server with one tool, which says when it starts and ends.
const lookingServer = `trap 'echo "$1 ended" >>log/servers' EXIT
echo "$1 started" >>log/servers
while read -r line; do
	id=${line#*\"id\":}
	id=${id%%[,\}]*}
	case $line in
	*'"initialize"'*) r='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"looking","version":"1"}}' ;;
	*'"tools/list"'*) r='{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}' ;;
	*'"tools/call"'*) r='{"content":[{"type":"text","text":"seen"}]}' ;;
	*) continue ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$r"
done
`

// leased counts leases.
type leased struct {
	*loader.Live
	taken, given atomic.Int64
}

func (l *leased) Acquire() (*agents.Graph, func(), error) {
	g, release, err := l.Live.Acquire()
	if err != nil {
		return g, release, err
	}
	l.taken.Add(1)
	return g, sync.OnceFunc(func() { l.given.Add(1); release() }), nil
}

// savesIn are the saves that a text names, each time it does.
func savesIn(text string) (saves []string) {
	for _, part := range strings.Split(text, "Save ")[1:] {
		n, _, _ := strings.Cut(part, ".")
		saves = append(saves, n)
	}
	return saves
}
