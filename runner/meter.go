package runner

import (
	"maps"
	"slices"
	"sync"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/runner/event"
)

// warnAt is the part of a limit at which it is warned of.
const warnAt = 0.8

// meter counts what a run and its children use, and knows the limits on it. What a child uses counts for every run above
// while it is used; into the sums by agent it goes once, when the child has ended.
type meter struct {
	up     *meter
	warn   func(limit string, used, max float64)
	limits []*limit

	mu     sync.Mutex // guards what follows and the flags of limits
	live   event.Usage
	agents map[string]event.AgentUsage
}

// limit is a bound on tokens or money.
type limit struct {
	name, kind string
	max        float64
	used       func(event.Usage) float64
	warned     bool
}

func newMeter(up *meter) *meter {
	return &meter{up: up, agents: map[string]event.AgentUsage{}}
}

// bound adds the limits of a budget.
func (m *meter) bound(b agents.Budget) {
	if b.Cost > 0 {
		m.limits = append(m.limits, &limit{
			name: "cost", kind: event.KindCostLimit, max: b.Cost, used: func(u event.Usage) float64 { return u.Cost },
		})
	}
	if b.Tokens > 0 {
		m.limits = append(m.limits, &limit{
			name: "tokens", kind: event.KindTokenLimit, max: float64(b.Tokens), used: func(u event.Usage) float64 { return float64(u.Tokens()) },
		})
	}
}

// charge books one model call.
func (m *meter) charge(agent, candidate string, turns, attempts int, u event.Usage) {
	m.mu.Lock()
	sum := m.agents[agent]
	sum.Turns, sum.Attempts, sum.Usage = sum.Turns+turns, sum.Attempts+attempts, sum.Usage.Add(u)
	if sum.Models == nil {
		sum.Models = map[string]event.Usage{}
	}
	sum.Models[candidate] = sum.Models[candidate].Add(u)
	m.agents[agent] = sum
	m.mu.Unlock()
	m.spend(u)
}

// spend counts a usage here and above, and warns of limits that come near.
func (m *meter) spend(u event.Usage) {
	for at := m; at != nil; at = at.up {
		for _, l := range at.add(u) {
			at.warn(l.name, l.used(at.total()), l.max)
		}
	}
}

// add counts and returns the limits that are near for the first time.
func (m *meter) add(u event.Usage) []*limit {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live = m.live.Add(u)
	var near []*limit
	for _, l := range m.limits {
		if !l.warned && l.used(m.live) >= l.max*warnAt {
			l.warned = true
			near = append(near, l)
		}
	}
	return near
}

func (m *meter) total() event.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.live
}

// settle books an ended child. child is its meter: what it did not count there, since the child's record was read and the
// child not run, counts now.
func (m *meter) settle(child *meter, res *Result) {
	m.mu.Lock()
	for name, u := range res.PerAgent {
		m.agents[name] = m.agents[name].Add(u)
	}
	m.mu.Unlock()
	if counted := child.total(); counted.Usage.Input == 0 && counted.Usage.Output == 0 {
		m.spend(res.Usage)
	}
}

// of is what one agent has used.
func (m *meter) of(agent string) event.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.agents[agent].Usage
}

// over is the failure of a limit that is reached, here or above; nil when there is none.
func (m *meter) over() *failure {
	for at := m; at != nil; at = at.up {
		total := at.total()
		for _, l := range at.limits {
			if l.used(total) < l.max {
				continue
			}
			if l.name == "cost" {
				return failed(l.kind, "stopped: $%.4f of a budget of $%.4f is spent", total.Cost, l.max)
			}
			return failed(l.kind, "stopped: %d of a budget of %.0f tokens are used", total.Tokens(), l.max)
		}
	}
	return nil
}

// left is what the limits here and above leave for a child; a zero value means no limit.
func (m *meter) left() agents.Budget {
	var b agents.Budget
	for at := m; at != nil; at = at.up {
		total := at.total()
		for _, l := range at.limits {
			rest := max(l.max-l.used(total), 0)
			if l.name == "cost" && (b.Cost == 0 || rest < b.Cost) {
				b.Cost = max(rest, 1e-9) // 0 would be no limit
			}
			if l.name == "tokens" && (b.Tokens == 0 || int(rest) < b.Tokens) {
				b.Tokens = max(int(rest), 1)
			}
		}
	}
	return b
}

// sum fills the sums of a result.
func (m *meter) sum(r *Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.PerAgent = make(map[string]event.AgentUsage, len(m.agents))
	for _, name := range slices.Sorted(maps.Keys(m.agents)) { // in one order, since sums of money depend on it
		a := m.agents[name]
		a.Models = maps.Clone(a.Models)
		r.PerAgent[name] = a
		r.Turns += a.Turns
		r.Attempts += a.Attempts
		r.Usage = r.Usage.Add(a.Usage)
	}
}
