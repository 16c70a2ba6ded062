package config

import (
	"time"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// maxRepeat is how often a case may be repeated.
const maxRepeat = 1000

// jobFile is a job as written: what its expressions depend on is not yet read.
type jobFile struct {
	name, summary Ref
	needs         Value[[]Ref]
	matrix        *yaml.Node
	cases         *yaml.Node
	part          []*yaml.Node // keys and values of the JobPart, in turn
}

// jobTable is what stands at the top of a file.
var jobTable = lazyTable[jobFile]{New: func() *table[jobFile] {
	fields := []field[jobFile]{
		value("name", text(), func(f *jobFile) *Value[string] { return &f.name }).or("the file's name").like("review-quality").means("identity"),
		value("description", text(), func(f *jobFile) *Value[string] { return &f.summary }).like("The reviewer still finds bugs.").means("for readers"),
		value("needs", list("text or list", false, true), func(f *jobFile) *Value[[]Ref] { return &f.needs }).like("[smoke]").means("jobs that must have passed before"),
		later("matrix", shape[*yaml.Node]{words: "map of lists", schema: matrixSchema}, func(f *jobFile, _, v *yaml.Node) { f.matrix = v }).
			like("{model: [smart, fast], exclude: [{model: fast}]}").means("every case runs once for each combination; `model` and `agent` are taken as those settings; `exclude` leaves combinations out, `include` adds values to those that fit or a combination of its own"),
		later("cases", listOf("list of cases", mapping("case", caseTable.Get), nil), func(f *jobFile, _, v *yaml.Node) { f.cases = v }).
			or("one, of what the job says").like("[{name: finds it, prompt: Review the change., expect: [{contains: nil}]}]").means("what is asked, and what has to come of it"),
	}
	for _, p := range partFields() {
		fields = append(fields, field[jobFile]{
			about: p.about,
			read:  func(_ *decoder, f *jobFile, k, v *yaml.Node) { f.part = append(f.part, k, v) },
		})
	}
	return newTable(fields...)
}}

// later is a field whose node is read when its expressions can be filled in.
func later[V any](key string, s shape[V], keep func(f *jobFile, k, v *yaml.Node)) field[jobFile] {
	return field[jobFile]{
		about: &about{key: key, words: s.words, schema: s.schema},
		read:  func(_ *decoder, f *jobFile, k, v *yaml.Node) { keep(f, k, v) },
	}
}

func matrixSchema() schema {
	combinations := schema{"type": "array", "items": schema{"type": "object"}}
	return schema{
		"type": "object", "properties": schema{"include": combinations, "exclude": combinations},
		"additionalProperties": schema{"type": "array", "minItems": 1},
	}
}

// caseNames are the fields of a case that a job has not.
func caseNames() *table[JobCase] { return newTable(caseTable.Get().fields[:1]...) }

// caseTable is a case of a job.
var caseTable = lazyTable[JobCase]{New: func() *table[JobCase] {
	fields := []field[JobCase]{
		with("name", text(), func(c *JobCase, v Value[string]) { c.Name = v.V }).or("case N").like("finds the nil dereference").means("unique in the job"),
	}
	for _, p := range partFields() {
		read := p.read
		fields = append(fields, field[JobCase]{
			about: p.about,
			read:  func(d *decoder, c *JobCase, k, v *yaml.Node) { read(d, &c.Part, k, v) },
			lose: func(c *JobCase, key diag.Span) {
				if p.lose != nil {
					p.lose(&c.Part, key)
				}
			},
		})
	}
	return newTable(fields...)
}}

var partTable = lazyTable[JobPart]{New: func() *table[JobPart] { return newTable(partFields()...) }}

// partFields are the fields of both a job and a case.
func partFields() []field[JobPart] {
	return []field[JobPart]{
		value("agent", text(), func(p *JobPart) *Value[string] { return &p.Agent }).or("default_agent").like("reviewer").means("who is asked"),
		value("workflow", text(), func(p *JobPart) *Value[string] { return &p.Workflow }).like("release-notes").means("refused: this version runs no workflows"),
		value("model", text(), func(p *JobPart) *Value[string] { return &p.Model }).or("the agent's").like("fast").means("instead of the agent's, as with -m"),
		value("prompt", text(), func(p *JobPart) *Value[string] { return &p.Prompt }).like("Review the staged change.").means("what is asked; every case needs one, here or in the job"),
		with("vars", textMap(), func(p *JobPart, v Value[map[string]string]) { p.Vars = v.V }).like("{language: Go}").means("of a prompt that is a template, and as vars.NAME in expressions"),
		with("tags", list("text or list", false, true), func(p *JobPart, v Value[[]Ref]) { p.Tags = v.V }).like("[nightly]").means("for --tag; those of the job and of the case together"),
		with("env", list("text or list", false, true), func(p *JobPart, v Value[[]Ref]) { p.Env = v.V }).like("[GOFLAGS]").means("variables that shell steps get besides PATH, HOME and the like"),
		value("setup", either(placedFiles(), mapping("map", setupTable.Get)), func(p *JobPart) *Value[JobSetup] { return &p.Setup }).or("the workspace itself").
			like("{files: fixtures/bug-1, run: git init -q}").means("a fresh copy of a folder, which the case works in; a text is files"),
		with("before", shellSteps(), func(p *JobPart, v Value[[]JobShell]) { p.Before = v.V }).like("make data").means("shell steps before the agent; one that fails is an error of the case"),
		with("after", shellSteps(), func(p *JobPart, v Value[[]JobShell]) { p.After = v.V }).like("make clean").means("shell steps behind the checks, whatever happened"),
		value("cassette", text(), func(p *JobPart) *Value[string] { return &p.Cassette }).or("live").like("cassettes/bug-1.yaml").means("recorded answers of the models; cases may share one"),
		with("expect", checks(), func(p *JobPart, v Value[[]JobCheck]) { p.Expect = append(p.Expect, v.V...) }).like("[{contains: nil}, {turns: \"<= 6\"}]").means("checks; those of the job come first"),
		with("fail_if", failures(), func(p *JobPart, v Value[[]JobCheck]) { p.Expect = append(p.Expect, v.V...) }).like("'output contains \"LGTM\"'").means("expressions none of which may hold: a plain check"),
		value("repeat", count(1, maxRepeat), func(p *JobPart) *Value[int] { return &p.Repeat }).or("1").like("5").means("how often a case runs"),
		value("pass_rate", share(), func(p *JobPart) *Value[float64] { return &p.PassRate }).or("1").like("0.8").means("part of the repetitions that has to pass"),
		value("stop_early", boolean(), func(p *JobPart) *Value[bool] { return &p.StopEarly }).or("true").like("false").means("repetitions end when the rest cannot change the outcome"),
		with("limits", mapping("map", jobLimitsTable.Get), func(p *JobPart, v Value[JobLimits]) { p.Limits = v.V }).like("{timeout: 5m, cost: 1.00}").means("of one run of a case"),
		value("skip", text(), func(p *JobPart) *Value[string] { return &p.Skip }).like("waits for a newer model").means("why it is not run; the report shows it"),
	}
}

var setupTable = lazyTable[JobSetup]{New: func() *table[JobSetup] {
	return newTable(
		value("files", text(), func(s *JobSetup) *Value[string] { return &s.Files }).like("fixtures/bug-1").means("folder that is copied, links and modes included"),
		value("git", text(), func(s *JobSetup) *Value[string] { return &s.Git }).like("v1.2.0").means("commit of the workspace's repository that is checked out"),
		with("run", shellSteps(), func(s *JobSetup, v Value[[]JobShell]) { s.Run = v.V }).like("git init -q && git add -A").means("shell steps there"),
	)
}}

// placedFiles is a setup of files alone.
func placedFiles() shape[JobSetup] {
	s := text()
	return shape[JobSetup]{
		words: s.words, schema: s.schema,
		read: func(d *decoder, n *yaml.Node) (out JobSetup, ok bool) {
			v, ok := s.read(d, n)
			out.Files = Ref{V: v, At: d.at(n)}
			return out, ok
		},
	}
}

var shellTable = lazyTable[JobShell]{New: func() *table[JobShell] {
	return newTable(
		with("run", text(), func(s *JobShell, v Value[string]) { s.Run, s.At = v.V, v.At }).needed().like("make data").means("a line, or a script of several"),
		with("timeout", span(bounds{above: true}), func(s *JobShell, v Value[time.Duration]) { s.Timeout = v.V }).or("2m").like("30s").means("its time"),
	)
}}

// shellSteps is a line, a map, or a list of both.
func shellSteps() shape[[]JobShell] {
	one := either(shape[JobShell]{
		words: "text", schema: text().schema,
		read: func(d *decoder, n *yaml.Node) (JobShell, bool) {
			v, ok := text().read(d, n)
			return JobShell{Run: v, At: d.at(n)}, ok
		},
	}, needing(mapping("map", shellTable.Get), "run"))
	return shape[[]JobShell]{
		words: "text, map {run, timeout}, or list of them",
		schema: func() schema {
			return schema{"anyOf": []schema{one.schema(), {"type": "array", "items": one.schema()}}}
		},
		read: func(d *decoder, n *yaml.Node) ([]JobShell, bool) {
			nodes := []*yaml.Node{n}
			if n.Kind == yaml.SequenceNode {
				nodes = n.Content
			}
			var out []JobShell
			for _, c := range nodes {
				if s, ok := one.read(d, c); ok {
					out = append(out, s)
				}
			}
			return out, true
		},
	}
}

// failures is an expression, or a list of them, as checks that fail when it holds.
func failures() shape[[]JobCheck] {
	one := condition(runNames)
	return shape[[]JobCheck]{
		words: "expression, or list of expressions",
		schema: func() schema {
			return schema{"anyOf": []schema{one.schema(), {"type": "array", "items": one.schema()}}}
		},
		read: func(d *decoder, n *yaml.Node) ([]JobCheck, bool) {
			nodes := []*yaml.Node{n}
			if n.Kind == yaml.SequenceNode {
				nodes = n.Content
			}
			var out []JobCheck
			for _, c := range nodes {
				if p, ok := one.read(d, c); ok {
					out = append(out, JobCheck{Kind: FailIf, At: d.at(c), Key: d.at(c), Condition: p})
				}
			}
			return out, true
		},
	}
}

// FailIf is the kind of a check that is an entry of fail_if.
const FailIf = "fail_if"

var jobLimitsTable = lazyTable[JobLimits]{New: func() *table[JobLimits] {
	return newTable(
		value("timeout", span(bounds{above: true}), func(l *JobLimits) *Value[time.Duration] { return &l.Timeout }).or("the agent's").like("5m").means("time of the run"),
		value("cost", number(0, 1e6), func(l *JobLimits) *Value[float64] { return &l.Cost }).or("the agent's").like("1.00").means("US dollars"),
		value("turns", count(1, 0), func(l *JobLimits) *Value[int] { return &l.Turns }).or("the agent's").like("10").means("model calls"),
		value("tokens", count(1, 0), func(l *JobLimits) *Value[int] { return &l.Tokens }).or("the agent's").like("50000").means("tokens in and out"),
	)
}}
