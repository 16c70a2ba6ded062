package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
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
// its start to its end, and every lease is given back. SWARMRUN_EDITS says how many edits; 60 without it.
func TestEditsUnderRuns(t *testing.T) {
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
		write("agents/"+name+".md", fmt.Sprintf("---\ndescription: Says what it knows.\nmodel: script/m\ntools: []\n%s---\nSave %d.\n", extra, n))
	}
	save := func(n int) {
		agent("low", "", n)
		agent("top", "delegates_to: [low]\n", n)
	}
	write("models/m.yaml", "version: 1\nrules:\n"+
		"  - {when: {agent: low}, reply: {text: \"{{ .System }}\"}}\n"+
		"  - {when: {agent: top, turn: 1}, reply: {text: \"{{ .System }}\", tool_calls: [{name: WorkWithLow, input: {message: go}}]}}\n"+
		"  - {when: {agent: top}, reply: {text: \"{{ .System }} {{ join .Results }}\"}}\n")
	save(0)
	live, err := loader.Open(t.Context(), dir, &loader.Options{Env: standard.Environment(), Environ: []string{}, Partial: true})
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
				if !res.OK || len(saves) != 2 || saves[0] != saves[1] {
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
	t.Logf("%d edits, %d generations, %d runs", edits, published, runs.Load())
}

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
