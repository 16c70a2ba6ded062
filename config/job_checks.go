package config

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/expression"
	"github.com/swarmrun/swarmrun/internal/jsonpath"
)

// maxVotes is how often a judge may be asked about one answer.
const maxVotes = 9

// checks is the value of expect: a list of maps with one key each, the kind of the check.
func checks() shape[[]JobCheck] {
	return listOf("list of checks", once(mapping("check", assertionTable.Get)), func(d *decoder, n *yaml.Node, c *JobCheck) bool {
		if len(n.Content) > 2 {
			d.add(diag.New("E-KEY-TWICE", d.at(n.Content[2]), "one entry of expect is one check: %q stands beside %q", n.Content[2].Value, n.Content[0].Value).
				Suggest("give each check an entry of its own, with a hyphen in front"))
			return false
		}
		if len(n.Content) == 0 && len(d.gone[n]) == 0 {
			d.add(diag.New("E-KEY-MISSING", d.at(n), "the check says nothing").Suggest("write a kind and what it wants, such as contains: done"))
		}
		return c.Kind != ""
	})
}

// Checks are the kinds of checks in the order of the reference.
func Checks() []string {
	var kinds []string
	for _, f := range assertionTable.Get().fields {
		kinds = append(kinds, f.key)
	}
	return kinds
}

// check is a field of the table of checks: its key is the kind.
func check(kind string, s shape[JobCheck]) field[JobCheck] {
	return with(kind, s, func(c *JobCheck, v Value[JobCheck]) {
		*c = v.V
		c.Kind, c.At, c.Key = kind, v.At, v.KeyAt()
	})
}

var assertionTable = lazyTable[JobCheck]{New: func() *table[JobCheck] {
	return newTable(
		check("contains", texted(words(), func(c *JobCheck, v []string) { c.Text = v })).like("nil").means("texts that the answer holds, all of them"),
		check("not_contains", texted(words(), func(c *JobCheck, v []string) { c.Text = v })).like("[TODO, FIXME]").means("texts that the answer holds none of"),
		check("equals", texted(anyJSON(), func(c *JobCheck, v json.RawMessage) { c.Value = v })).like("42").means("the answer: a text, blanks around it aside, or the value of a JSON answer"),
		check("matches", texted(pattern(), func(c *JobCheck, v string) { c.Pattern = v })).like("\"(?i)nil (pointer|dereference)\"").means("a regular expression (RE2) that fits somewhere in the answer"),
		check("json", either(texted(jsonPath(), func(c *JobCheck, v *jsonpath.Path) { c.Path = v }), needing(mapping("map", jsonCheckTable.Get), "path"))).
			like("{path: $.verdict, equals: changes}").means("something of an answer that is JSON; a path alone: it leads somewhere"),
		check("json_schema", either(placed(func(c *JobCheck, r Ref) { c.File = r }), texted(jsonSchema(), func(c *JobCheck, v json.RawMessage) { c.Schema = v }))).
			like("{type: object, required: [verdict]}").means("a JSON Schema that the answer fits, or the path of a file with one"),
		check("snapshot", placed(func(c *JobCheck, r Ref) { c.File = r })).like("snapshots/review.txt").means("a file that holds the answer; --update writes it"),
		check("tool_called", either(tooled(), needing(mapping("map", callCheckTable.Get), "name"))).like("{name: Read, input: {file_path: \"*.go\"}, times: \">= 1\"}").means("a tool that was called; a name alone: at least once"),
		check("tool_not_called", either(tooled(), needing(mapping("map", uncalledCheckTable.Get), "name"))).like("Write").means("a tool that was not called"),
		check("tool_order", callOrder()).like("[Read, Edit, Bash]").means("calls that came in this order, with others between them or not"),
		check("tool_result", needing(mapping("map", resultCheckTable.Get), "name")).like("{name: Bash, matches: \"ok\"}").means("a result of a tool"),
		check("hook_blocked", either(tooled(), mapping("map", hookCheckTable.Get))).like("no-secrets").means("a hook that refused something"),
		check("exit_code", texted(count(0, 255), func(c *JobCheck, v int) { c.Times = &Bound{Low: float64(v), High: float64(v), Text: strconv.Itoa(v)} })).like("8").means("how the run ends, as in the table of exit codes; without it a run has to succeed"),
		check("event", either(texted(condition(eventNames), func(c *JobCheck, v *expression.Program) { c.Condition = v }), needing(mapping("map", eventCheckTable.Get), "where"))).
			like("'type == \"tool_result\" && event.is_error'").means("an event for which an expression over type, agent, tool and event holds"),
		check("file", either(placed(func(c *JobCheck, r Ref) { c.Name = r }), needing(mapping("map", fileCheckTable.Get), "path"))).
			like("{path: review.md, matches: \"(?i)dereference\"}").means("a file after the run; a path alone: it is there"),
		check("diff", mapping("map", diffCheckTable.Get)).like("{files: \"<= 2\", lines: \"<= 40\", only: [\"src/**\"]}").means("what the run changed"),
		check("command", either(commanded(), needing(mapping("map", commandCheckTable.Get), "run"))).like("go test ./...").means("a line for the shell that ends with exit code 0"),
		check("cost", inBounds(amount())).like("\"<= 0.05\"").means("US dollars"),
		check("turns", inBounds(times())).like("\"<= 6\"").means("model calls of the agent"),
		check("tokens", inBounds(times())).like("\"<= 20000\"").means("tokens in and out, delegates included"),
		check("latency", inBounds(delay())).like("\"<= 30s\"").means("time of the run, without setup and checks"),
		check("no_secrets", texted(boolean(), func(c *JobCheck, v bool) { c.Exists = &v })).like("true").means("nothing that looks like a key is in the answer, the events or a changed file"),
		check("judge", needing(mapping("map", judgeCheckTable.Get), "rubric")).like("{model: fast, rubric: Names the line and the cause, pass: 0.8}").means("a model that grades the answer"),
		check("expr", texted(condition(runNames), func(c *JobCheck, v *expression.Program) { c.Condition = v })).like("'turns < 5 && len(files) == 1'").means("an expression that holds"),
	)
}}

var jsonCheckTable = lazyTable[JobCheck]{New: func() *table[JobCheck] {
	return newTable(
		with("path", jsonPath(), func(c *JobCheck, v Value[*jsonpath.Path]) { c.Path = v.V }).needed().like("$.items[0].line").means("$, then .name, ['name'], [0], [-1] and [*]"),
		with("file", text(), func(c *JobCheck, v Value[string]) { c.Name = v }).or("the answer").like("report.json").means("a file of the run, instead of the answer"),
		with("equals", anyJSON(), func(c *JobCheck, v Value[json.RawMessage]) { c.Value = v.V }).like("changes").means("the value, at every place that the path leads to"),
		with("matches", pattern(), func(c *JobCheck, v Value[string]) { c.Pattern = v.V }).like("^v[0-9]").means("a regular expression that a text there fits"),
		with("contains", words(), func(c *JobCheck, v Value[[]string]) { c.Text = v.V }).like("nil").means("texts that a text there holds, or elements that a list there has"),
		with("exists", boolean(), func(c *JobCheck, v Value[bool]) { c.Exists = &v.V }).or("true").like("false").means("whether the path leads anywhere"),
		with("length", times(), func(c *JobCheck, v Value[Bound]) { c.Times = &v.V }).like("\">= 1\"").means("of a list, an object or a text there"),
	)
}}

// namedTool is the field name of checks about tools.
func namedTool(means string) field[JobCheck] {
	return with("name", text(), func(c *JobCheck, v Value[string]) { c.Name = v }).needed().like("Read").means("%s", means)
}

func toolInput() field[JobCheck] {
	return with("input", anyObject(), func(c *JobCheck, v Value[json.RawMessage]) { c.Input = v.V }).like("{file_path: \"*.go\"}").
		means("what its input holds: texts are globs, in which * is any text; other values are equal")
}

func howOften(def string) field[JobCheck] {
	return with("times", times(), func(c *JobCheck, v Value[Bound]) { c.Times = &v.V }).or(def).like("\"1..3\"").means("how often")
}

var callCheckTable = lazyTable[JobCheck]{New: func() *table[JobCheck] {
	return newTable(namedTool("the tool, or the agent that is delegated to; a glob"), toolInput(), howOften(">= 1"))
}}

var uncalledCheckTable = lazyTable[JobCheck]{New: func() *table[JobCheck] {
	return newTable(namedTool("the tool; a glob"), toolInput())
}}

var resultCheckTable = lazyTable[JobCheck]{New: func() *table[JobCheck] {
	return newTable(
		namedTool("the tool; a glob"),
		with("contains", words(), func(c *JobCheck, v Value[[]string]) { c.Text = v.V }).like("PASS").means("texts that it holds"),
		with("not_contains", words(), func(c *JobCheck, v Value[[]string]) { c.Lost = v.V }).like("FAIL").means("texts that it does not hold"),
		with("matches", pattern(), func(c *JobCheck, v Value[string]) { c.Pattern = v.V }).like("^ok").means("a regular expression that fits"),
		with("error", boolean(), func(c *JobCheck, v Value[bool]) { c.Error = &v.V }).like("false").means("whether it is an error"),
		howOften(">= 1"),
	)
}}

var hookCheckTable = lazyTable[JobCheck]{New: func() *table[JobCheck] {
	return newTable(
		with("name", text(), func(c *JobCheck, v Value[string]) { c.Name = v }).or("any hook").like("no-secrets").means("the hook; a glob"),
		with("reason", pattern(), func(c *JobCheck, v Value[string]) { c.Pattern = v.V }).like("(?i)key").means("a regular expression that the reason fits"),
		howOften(">= 1"),
	)
}}

var eventCheckTable = lazyTable[JobCheck]{New: func() *table[JobCheck] {
	return newTable(
		with("where", condition(eventNames), func(c *JobCheck, v Value[*expression.Program]) { c.Condition = v.V }).needed().like("'type == \"output_repair\"'").means("an expression over type, agent, tool and event"),
		howOften(">= 1"),
	)
}}

var fileCheckTable = lazyTable[JobCheck]{New: func() *table[JobCheck] {
	return newTable(
		with("path", text(), func(c *JobCheck, v Value[string]) { c.Name = v }).needed().like("review.md").means("from the folder of the case; a glob: at least one file that it fits"),
		with("exists", boolean(), func(c *JobCheck, v Value[bool]) { c.Exists = &v.V }).or("true").like("false").means("whether it is there"),
		with("contains", words(), func(c *JobCheck, v Value[[]string]) { c.Text = v.V }).like("nil").means("texts that it holds"),
		with("not_contains", words(), func(c *JobCheck, v Value[[]string]) { c.Lost = v.V }).like("TODO").means("texts that it does not hold"),
		with("matches", pattern(), func(c *JobCheck, v Value[string]) { c.Pattern = v.V }).like("(?m)^# ").means("a regular expression that fits"),
		with("equals", text(), func(c *JobCheck, v Value[string]) { c.Value, _ = json.Marshal(v.V) }).like("ok").means("its text, blanks at the end aside"),
	)
}}

var diffCheckTable = lazyTable[JobCheck]{New: func() *table[JobCheck] {
	return newTable(
		with("files", times(), func(c *JobCheck, v Value[Bound]) { c.Times = &v.V }).like("\"<= 3\"").means("how many files were added, changed or removed"),
		with("lines", times(), func(c *JobCheck, v Value[Bound]) { c.Lines = &v.V }).like("\"<= 40\"").means("how many lines were added and removed together"),
		with("only", words(), func(c *JobCheck, v Value[[]string]) { c.Only = v.V }).like("[\"src/**\"]").means("globs of the files that may change"),
		with("keeps", words(), func(c *JobCheck, v Value[[]string]) { c.Keep = v.V }).like("[\"**/*_test.go\"]").means("globs of files that must not change"),
	)
}}

var commandCheckTable = lazyTable[JobCheck]{New: func() *table[JobCheck] {
	return newTable(
		with("run", text(), func(c *JobCheck, v Value[string]) { c.Run.Run, c.Run.At = v.V, v.At }).needed().like("go vet ./...").means("a line for the shell"),
		with("exit", count(0, 255), func(c *JobCheck, v Value[int]) { c.Times = &Bound{Low: float64(v.V), High: float64(v.V)} }).or("0").like("1").means("its exit code"),
		with("contains", words(), func(c *JobCheck, v Value[[]string]) { c.Text = v.V }).like("ok").means("texts that it writes"),
		with("matches", pattern(), func(c *JobCheck, v Value[string]) { c.Pattern = v.V }).like("^ok").means("a regular expression that what it writes fits"),
		with("timeout", span(bounds{above: true}), func(c *JobCheck, v Value[time.Duration]) { c.Run.Timeout = v.V }).or("2m").like("30s").means("its time"),
	)
}}

var judgeCheckTable = lazyTable[JobCheck]{New: func() *table[JobCheck] {
	return newTable(
		with("rubric", text(), func(c *JobCheck, v Value[string]) { c.Rubric = strings.TrimSpace(v.V) }).needed().like("Names the line and the cause").means("what a good answer does"),
		with("model", text(), func(c *JobCheck, v Value[string]) { c.Model = v }).or("the agent's").like("fast").means("who grades"),
		with("pass", share(), func(c *JobCheck, v Value[float64]) { c.Pass = v.V }).or("0.7").like("0.8").means("the grade from which on it is good, 0 to 1; of several votes the median counts"),
		with("votes", count(1, maxVotes), func(c *JobCheck, v Value[int]) { c.Votes = v.V }).or("1").like("3").means("how often the model is asked"),
		with("cassette", text(), func(c *JobCheck, v Value[string]) { c.File = v }).or("that of the case, with .judge in its name").like("cassettes/judge.yaml").means("its recorded answers"),
		with("cost", number(0, 1e6), func(c *JobCheck, v Value[float64]) { c.Cost = v.V }).or("no limit").like("0.02").means("US dollars that it may cost at most"),
		with("timeout", span(bounds{above: true}), func(c *JobCheck, v Value[time.Duration]) { c.Timeout = v.V }).or("5m").like("1m").means("its time, of all votes together"),
	)
}}
