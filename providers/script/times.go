package script

import (
	lru "container/list"
	"sync"
)

// maxRuns bounds how many runs are remembered at once; the run that answered longest ago is forgotten first.
const maxRuns = 4096

// times counts how often rules answered in each run. It is safe for concurrent use.
type times struct {
	mu     sync.Mutex
	runs   map[string]*lru.Element // of *tally
	recent lru.List                // newest first
}

type tally struct {
	run   string
	rules map[int]int
}

// take counts one answer of a rule, unless it has given limit in this run already.
func (t *times) take(run string, rule, limit int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.runs[run]
	if !ok {
		if t.runs == nil {
			t.runs = map[string]*lru.Element{}
		}
		e = t.recent.PushFront(&tally{run: run, rules: map[int]int{}})
		t.runs[run] = e
		if t.recent.Len() > maxRuns {
			oldest := t.recent.Remove(t.recent.Back()).(*tally)
			delete(t.runs, oldest.run)
		}
	}
	t.recent.MoveToFront(e)
	rules := e.Value.(*tally).rules
	if rules[rule] >= limit {
		return false
	}
	rules[rule]++
	return true
}
