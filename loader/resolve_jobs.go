package loader

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/dag"
)

// job is a CI job on its way into the graph.
type job struct {
	*config.Job
	file   *parsed
	made   *agents.Job
	faults diag.List // errors: not empty = it is not loaded
}

// resolveJobs makes jobs of the files that were read.
func (w *world) resolveJobs() diag.List {
	var ds diag.List
	names := map[string]bool{} // broken ones included
	for _, f := range w.files {
		if f.kind != config.KindJob || f.def.Status == config.Skipped {
			continue
		}
		names[f.def.Name] = true
		if f.job != nil {
			w.jobs = append(w.jobs, &job{Job: f.job, file: f, faults: errorsOf(f.diags)})
		}
	}
	slices.SortFunc(w.jobs, func(a, b *job) int { return cmp.Compare(a.file.def.Name, b.file.def.Name) })
	var order dag.Graph[string]
	for _, j := range w.jobs {
		r := &jobResolver{world: w, job: j}
		r.resolve(names)
		for _, n := range j.made.Needs {
			order.Edge(j.made.Name, n)
		}
		ds.Add(r.ds...)
		j.fault(r.ds)
	}
	ds.Add(w.jobCycles(&order)...)
	for _, j := range w.jobs {
		if len(j.faults) > 0 {
			j.file.def.Status = config.Broken
		}
	}
	return ds
}

func (j *job) fault(ds diag.List) { j.faults.Add(errorsOf(ds)...) }

// jobCycles tells of jobs that wait for each other.
func (w *world) jobCycles(order *dag.Graph[string]) diag.List {
	byName := make(map[string]*job, len(w.jobs))
	for _, j := range w.jobs {
		byName[j.made.Name] = j
	}
	var ds diag.List
	for _, path := range order.Cycles() {
		d := diag.New("E-JOB-CYCLE", byName[path[0]].waitsAt(path[1]), "the jobs wait for each other: %s", strings.Join(path, " → "))
		for i := 1; i+1 < len(path); i++ {
			d = d.Note(byName[path[i]].waitsAt(path[i+1]), "%q waits for %q here", path[i], path[i+1])
		}
		ds.Add(d.Suggest("remove one of the references"))
		for _, name := range path[1:] {
			byName[name].fault(diag.List{d})
		}
	}
	return ds
}

// waitsAt is where a job names one that it waits for.
func (j *job) waitsAt(name string) diag.Range {
	return j.Needs[slices.IndexFunc(j.Needs, func(n config.Ref) bool { return n.V == name })].At
}

// jobResolver resolves what one job refers to. A fault that several combinations of a matrix have is told once. Of a broken
// file only what could be read is resolved: what it lacks says nothing.
type jobResolver struct {
	*world
	job  *job
	lost bool // the target of the case at hand could not be read
	ds   diag.List
}

func (r *jobResolver) resolve(names map[string]bool) {
	j := r.job
	j.made = &agents.Job{Name: j.file.def.Name, Description: j.Description, Tags: words(j.Tags), Origin: j.At}
	for _, n := range j.Needs {
		if !names[n.V] {
			r.ds.Add(suggest(diag.New("E-JOB-UNKNOWN", n.At, "there is no job named %q", n.V), n.V, slices.Sorted(maps.Keys(names)), "Jobs here"))
			continue
		}
		j.made.Needs = append(j.made.Needs, n.V)
	}
	for i := range j.Cases {
		j.made.Cases = append(j.made.Cases, r.one(&j.Cases[i]))
	}
	slices.Sort(j.made.Files)
	j.made.Files = slices.Compact(j.made.Files)
	r.ds = r.ds.Sort()
}

// one compiles a case.
func (r *jobResolver) one(c *config.JobCase) *agents.Case {
	p := c.Part
	out := &agents.Case{
		Name: c.Name, Tags: words(p.Tags), Skip: p.Skip.V, Target: p.Agent.V, Model: p.Model.V, Prompt: p.Prompt.V, Vars: p.Vars,
		Env: words(p.Env), Before: shells(p.Before), After: shells(p.After),
		Repeat: p.Repeat.Or(1), PassRate: p.PassRate.Or(1), StopEarly: p.StopEarly.Or(true),
		Limits: agents.CaseLimits{
			Timeout: p.Limits.Timeout.V, Turns: p.Limits.Turns.V,
			Budget: agents.Budget{Cost: p.Limits.Cost.V, Tokens: p.Limits.Tokens.V},
		},
		Setup: agents.Setup{Git: p.Setup.V.Git.V, Run: shells(p.Setup.V.Run), At: p.Setup.V.Git.At}, Origin: c.At,
	}
	for _, a := range c.Matrix {
		out.Matrix = append(out.Matrix, agents.Axis{Name: a.Name, Value: a.Value})
	}
	r.lost = p.Agent.Lost() || !p.Agent.Set() && r.settings.DefaultAgent.Lost()
	r.target(p, c.At)
	if f := p.Setup.V.Files; f.Set() {
		out.Setup.Files, out.Setup.At = r.fixture(f), f.At
	}
	if t := p.Cassette; t.Set() {
		out.Tape, out.TapeAt = r.place(t.V), t.At
		if _, err := os.Stat(out.Tape); err != nil && out.Skip == "" {
			r.ds.Add(diag.New("W-CASSETTE", t.At, "there is no cassette %s yet", quoted(t.V)).Suggest("record it: swarmrun ci --record %s", r.job.made.Name))
		}
		r.job.made.Files = append(r.job.made.Files, out.Tape)
	}
	for _, k := range p.Expect {
		out.Checks = append(out.Checks, r.check(k, out))
	}
	return out
}

// target checks who is asked and what with.
func (r *jobResolver) target(p config.JobPart, at diag.Range) {
	switch {
	case r.lost:
	case !p.Agent.Set() && r.asked("") == "":
		r.ds.Add(diag.New("E-KEY-MISSING", at, "the case names no agent, and there is no default agent").
			Suggest("add agent: to the job. Agents here: %s", diag.Enumerate(r.agentNames())))
	case p.Agent.Set() && !r.exists(p.Agent.V):
		r.ds.Add(suggest(diag.New("E-TARGET-UNKNOWN", p.Agent.At, "there is no agent named %q", p.Agent.V), p.Agent.V, r.agentNames(), "Agents here"))
	}
	if _, lost := r.broken[p.Agent.V]; lost && p.Agent.Set() {
		r.ds.Add(brokenRef(p.Agent.At, config.KindAgent, p.Agent.V))
	}
	r.model(p.Model)
}

// asked is the agent that a case asks: the one that it names, the default one, or the only one.
func (r *jobResolver) asked(target string) string {
	if name := cmp.Or(target, r.defaultAgent()); name != "" || len(r.agentNames()) != 1 {
		return name
	}
	return r.agentNames()[0]
}

func (r *jobResolver) model(ref config.Ref) {
	if ref.Set() {
		_, ds := r.models.chain([]config.Ref{ref}, false)
		r.ds.Add(ds...)
	}
}

// place is a path of a job, which starts at the workspace's folder.
func (r *jobResolver) place(path string) string { return within(r.tree.root, path) }

func (r *jobResolver) fixture(f config.Ref) string {
	path := r.place(f.V)
	r.job.made.Files = append(r.job.made.Files, path)
	switch info, err := os.Stat(path); {
	case err != nil:
		r.ds.Add(diag.New("E-FIXTURE", f.At, "there is no folder %q", f.V).Suggest("paths start at the workspace's folder; make the folder, or mend the path"))
	case !info.IsDir():
		r.ds.Add(diag.New("E-FIXTURE", f.At, "%q is no folder", f.V).Suggest("name the folder that the file lies in"))
	case holds(path, r.tree.root):
		r.ds.Add(diag.New("E-FIXTURE", f.At, "%q holds the whole workspace", f.V).Suggest("keep what a case needs in a folder of its own, such as fixtures/NAME"))
	}
	return path
}

// holds tells whether a folder is another one or lies around it, wherever links lead.
func holds(folder, inner string) bool {
	rel, err := filepath.Rel(followed(folder), followed(inner))
	return err == nil && filepath.IsLocal(rel)
}

// followed is a path without links, where it can be followed.
func followed(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

func shells(list []config.JobShell) []agents.Shell {
	out := make([]agents.Shell, len(list))
	for i, s := range list {
		out[i] = shell(s)
	}
	return out
}

func shell(s config.JobShell) agents.Shell {
	return agents.Shell{Run: s.Run, Timeout: s.Timeout, Origin: s.At}
}
