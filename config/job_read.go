package config

import (
	"cmp"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/expression"
)

// ReadJob reads a CI job, jobs/<name>.yaml. The job is nil when the file is no YAML; see Broken.
// References in values stand for the variables of env, as in the settings; then the matrix is spread and expressions in
// ${{ }} are filled in, once for each case and set of values.
func ReadJob(src []byte, file string, env []string) (*Job, Definition, diag.List) {
	d, def, ds := openYAML(KindJob, src, file, env)
	if d == nil {
		return nil, def, ds
	}
	d.memo = map[*yaml.Node]any{}
	var f jobFile
	decode(d, d.doc.Root, jobTable.Get(), &f)
	d.name(&def, f.name)
	def.Description = f.summary.V
	j := &Job{Needs: f.needs.V}
	r := &jobReader{decoder: d, file: &f, name: def.Name, top: &yaml.Node{Kind: yaml.MappingNode, Content: f.part}, texts: map[*yaml.Node]*expression.Text{}, told: map[told]bool{}}
	d.gone[r.top] = d.gone[d.doc.Root]
	r.spread(j)
	j.Definition = d.finish(def)
	return j, j.Definition, d.ds.Sort()
}

// jobReader makes cases of a job as written.
type jobReader struct {
	*decoder
	file  *jobFile
	name  string
	top   *yaml.Node                      // what the job says for all its cases
	texts map[*yaml.Node]*expression.Text // of nodes with expressions
	blind bool                            // the matrix has errors: what it should have is not known
	told  map[told]bool                   // under earlier combinations
}

// told is a kind of finding at a place.
type told struct {
	at   diag.Range
	code diag.Code
}

// tellOnce drops those of the findings since before that an earlier combination had too, with another value in its words.
func (r *jobReader) tellOnce(before int) {
	fresh := slices.DeleteFunc(r.ds[before:], func(x diag.Diagnostic) bool { return r.told[told{x.Range, x.Code}] })
	r.ds = r.ds[:before+len(fresh)]
	for _, x := range fresh {
		r.told[told{x.Range, x.Code}] = true
	}
}

// spread reads every case under every combination of the matrix.
func (r *jobReader) spread(j *Job) {
	nodes := []*yaml.Node{nil}
	if c := r.file.cases; c != nil {
		if nodes = c.Content; c.Kind != yaml.SequenceNode {
			r.wrong(c, "a list of cases")
			return
		}
		if len(nodes) == 0 {
			r.add(diag.New("E-KEY-MISSING", r.at(c), "there are no cases").Suggest("add - {name: …, prompt: …, expect: […]}"))
			return
		}
	}
	for _, axes := range r.combinations(len(nodes)) {
		names, before := map[string]bool{}, len(r.ds)
		for i, n := range nodes {
			c, ok := r.one(n, i, axes)
			if !ok {
				continue
			}
			if names[c.Name] {
				r.add(diag.New("E-NAME", c.At, "two cases of this job are named %s", shown(c.Name)).Suggest("give each a name of its own"))
			}
			names[c.Name] = true
			j.Cases = append(j.Cases, c)
		}
		r.tellOnce(before)
	}
	if len(j.Cases) > 0 {
		j.Tags = j.Cases[0].Part.Tags
	}
}

// one reads a case under a combination; nil = the job itself is the case.
func (r *jobReader) one(n *yaml.Node, i int, axes []JobAxis) (JobCase, bool) {
	at := r.doc.Fence
	if n != nil {
		at = r.at(n)
	}
	fill := r.filler(axes)
	fill.learn(r.top)
	fill.learn(n)
	base, _ := once(mapping("map", partTable.Get)).read(r.decoder, fill.in(r.top))
	c := JobCase{At: at, Matrix: axes, Part: base}
	if n != nil {
		if n.Kind != yaml.MappingNode {
			r.wrong(n, "a case: a map with name, prompt and expect")
			return c, false
		}
		own, _ := once(mapping("map", caseTable.Get)).read(r.decoder, fill.in(n))
		c.Name = cmp.Or(own.Name, fmt.Sprintf("case %d", i+1))
		c.Part = base.with(own.Part)
	}
	c.Part.from(axes)
	if r.mayName("agent") && !c.Part.Agent.Written() {
		c.Part.Agent.Key = r.at(r.file.matrix).Span()
	}
	if !c.Part.Prompt.Written() && c.Part.Skip.V == "" && !c.Part.Skip.Lost() {
		r.add(diag.New("E-KEY-MISSING", at, "the case has no prompt").Suggest("add prompt: to the case, or to the job for all cases"))
	}
	if w := c.Part.Workflow; w.Set() {
		r.add(diag.New("E-TARGET-UNKNOWN", w.KeyAt(), "this version runs no workflows, so a job cannot name one").Suggest("name an agent with agent:"))
	}
	r.checkSetup(c.Part.Setup)
	return c, true
}

func (r *jobReader) checkSetup(s Value[JobSetup]) {
	if f, g := s.V.Files, s.V.Git; f.Set() && g.Set() {
		r.add(diag.New("E-KEY-TWICE", g.At, "a case works in a copy of a folder or in a commit, not in both").
			Suggest("remove files or git").Note(f.At, "the folder"))
	}
	if s.Set() && !s.V.Files.Set() && !s.V.Git.Set() {
		r.add(diag.New("W-KEY-ALONE", s.At, "without files or git the setup runs in the workspace itself, once for each case").
			Suggest("add files: with a folder that is copied, or use before:"))
	}
}

// with is what a job says, as far as a case does not say it itself.
func (p JobPart) with(c JobPart) JobPart {
	p.Agent, p.Workflow, p.Model = nearer(c.Agent, p.Agent), nearer(c.Workflow, p.Workflow), nearer(c.Model, p.Model)
	p.Prompt, p.Setup, p.Cassette, p.Skip = nearer(c.Prompt, p.Prompt), nearer(c.Setup, p.Setup), nearer(c.Cassette, p.Cassette), nearer(c.Skip, p.Skip)
	p.Repeat, p.PassRate, p.StopEarly = nearer(c.Repeat, p.Repeat), nearer(c.PassRate, p.PassRate), nearer(c.StopEarly, p.StopEarly)
	p.Limits.Timeout, p.Limits.Cost = nearer(c.Limits.Timeout, p.Limits.Timeout), nearer(c.Limits.Cost, p.Limits.Cost)
	p.Limits.Turns, p.Limits.Tokens = nearer(c.Limits.Turns, p.Limits.Turns), nearer(c.Limits.Tokens, p.Limits.Tokens)
	p.Tags, p.Env = joined(p.Tags, c.Tags), joined(p.Env, c.Env)
	p.Before, p.After, p.Expect = joined(p.Before, c.Before), joined(c.After, p.After), joined(p.Expect, c.Expect)
	all := map[string]string{}
	for _, vars := range []map[string]string{p.Vars, c.Vars} {
		for k, v := range vars {
			all[k] = v
		}
	}
	p.Vars = all
	return p
}

// nearer is what a case says, else what its job does.
func nearer[T any](own, above Value[T]) Value[T] {
	if own.Written() {
		return own
	}
	return above
}

func joined[T any](a, b []T) []T { return append(a[:len(a):len(a)], b...) }

// mayName tells whether a matrix with errors may have an axis that could not be read.
func (r *jobReader) mayName(axis string) bool {
	n := r.file.matrix
	return r.blind && (n.Kind != yaml.MappingNode || child(n, axis) != nil || child(n, "include") != nil)
}

// from takes the axes that are settings.
func (p *JobPart) from(axes []JobAxis) {
	for _, a := range axes {
		to := map[string]*Ref{"model": &p.Model, "agent": &p.Agent}[a.Name]
		if to != nil && !to.Written() {
			*to = Ref{V: a.text(), At: a.At}
		}
	}
}
