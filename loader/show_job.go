package loader

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
)

// showJob shows what a job needs, and each of its cases with all that the job says about it.
func (r *Report) showJob(d *Detail) {
	i := slices.IndexFunc(r.world.jobs, func(j *job) bool { return j.Name == d.Definition.Name })
	if i < 0 {
		return
	}
	j := r.world.jobs[i]
	f := fields{origin: string(d.Definition.Origin), file: d.Definition.File}
	for key, refs := range map[string][]config.Ref{"needs": j.Needs, "tags": j.Tags} {
		if len(refs) > 0 {
			show(&f, key, config.Value[[]config.Ref]{V: refs, At: refs[0].At}, nil, texts)
		}
	}
	for _, c := range j.Cases {
		f.list = append(f.list, Field{Key: strings.TrimSpace("case " + c.Name + axes(c.Matrix)), Value: r.caseFields(c.Part), Origin: f.origin, At: c.At})
	}
	d.Fields = append(d.Fields, f.list...)
}

// axes are the values of a matrix that a case has.
func axes(matrix []config.JobAxis) string {
	var values []string
	for _, a := range matrix {
		values = append(values, fmt.Sprintf("%s=%s", a.Name, strings.Trim(string(a.Value), `"`)))
	}
	if len(values) == 0 {
		return ""
	}
	return " [" + strings.Join(values, ", ") + "]"
}

// caseFields is what a case does, as it counts.
func (r *Report) caseFields(p config.JobPart) any {
	target := p.Agent.V
	if target == "" {
		target = r.world.defaultAgent()
	}
	if target == "" && len(r.world.agents) == 1 {
		target = r.world.agents[0].Name
	}
	m := map[string]any{
		"agent": target, "model": p.Model.V, "prompt": p.Prompt.V, "cassette": p.Cassette.V, "skip": p.Skip.V, "checks": len(p.Expect),
	}
	if p.Repeat.V > 1 {
		m["repeat"], m["pass_rate"] = p.Repeat.V, p.PassRate.Or(1)
	}
	return without(m)
}
