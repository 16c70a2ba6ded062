package ci

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
)

// unit is one case that is to run.
type unit struct {
	job    *agents.Job
	c      *agents.Case
	result *Case
	target *agents.Agent
}

// plan is the chosen cases of the chosen jobs, both in the order of the report.
type plan struct {
	jobs  []*Job
	units map[*Job][]*unit
	needs map[string][]string
	count int
}

// newPlan chooses cases. Jobs that a named one needs are chosen with it.
func newPlan(g *agents.Graph, o *Options) *plan {
	p := &plan{units: map[*Job][]*unit{}, needs: map[string][]string{}}
	chosen := wanted(g, o.Jobs)
	number := 0
	for _, j := range g.Jobs() {
		if !chosen[j.Name] {
			continue
		}
		out := &Job{Name: j.Name, Description: j.Description, File: j.Origin.File, Line: max(int(j.Origin.Start.Line), 1), Tags: j.Tags, Cases: []*Case{}}
		for _, c := range j.Cases {
			u := &unit{job: j, c: c, result: newCase(g, j, c)}
			out.Target = cmp.Or(out.Target, u.result.Target)
			if !o.chooses(u) {
				continue
			}
			number++
			if s := o.Shard; s.Of > 1 && (number-1)%s.Of != s.Index-1 {
				continue
			}
			out.Cases = append(out.Cases, u.result)
			p.units[out] = append(p.units[out], u)
			p.count++
		}
		if len(out.Cases) > 0 {
			p.jobs = append(p.jobs, out)
			p.needs[j.Name] = j.Needs
		}
	}
	return p
}

// wanted are the names of the jobs, with all that they need.
func wanted(g *agents.Graph, names []string) map[string]bool {
	needs, all := map[string][]string{}, []string{}
	for _, j := range g.Jobs() {
		needs[j.Name] = j.Needs
		all = append(all, j.Name)
	}
	if len(names) == 0 {
		names = all
	}
	out := map[string]bool{}
	for queue := slices.Clone(names); len(queue) > 0; queue = queue[1:] {
		if name := queue[0]; !out[name] {
			out[name] = true
			queue = append(queue, needs[name]...)
		}
	}
	return out
}

func (o *Options) chooses(u *unit) bool {
	if o.Filter != nil && !o.Filter.MatchString(u.result.ID) {
		return false
	}
	if len(o.Tags) > 0 && !slices.ContainsFunc(o.Tags, func(t string) bool { return slices.Contains(u.result.Tags, t) }) {
		return false
	}
	return o.Only == nil || o.Only(u.job, u.c)
}

func newCase(g *agents.Graph, j *agents.Job, c *agents.Case) *Case {
	out := &Case{
		ID: CaseID(j, c), Name: cmp.Or(c.Name, j.Name), Tags: c.Tags, Target: c.Target, Model: c.Model,
		File: c.Origin.File, Line: int(c.Origin.Start.Line), Attempts: []Attempt{},
	}
	if out.Target == "" {
		out.Target = g.Default()
	}
	for _, a := range c.Matrix {
		out.Matrix = append(out.Matrix, Axis(a))
	}
	if c.Repeat > 1 {
		out.Rate = &Rate{Wanted: c.PassRate, Planned: c.Repeat}
	}
	return out
}

// CaseID is what a case is called from run to run: job/case [axis=value, …]; a job that is its own case has no slash.
func CaseID(j *agents.Job, c *agents.Case) string {
	id := j.Name
	if c.Name != "" {
		id += "/" + c.Name
	}
	if len(c.Matrix) == 0 {
		return id
	}
	parts := make([]string, len(c.Matrix))
	for i, a := range c.Matrix {
		parts[i] = a.Name + "=" + plainText(a.Value)
	}
	return id + " [" + strings.Join(parts, ", ") + "]"
}

// plainText is a JSON string as it is, anything else as JSON.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
