package report

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/page"
	"github.com/swarmrun/swarmrun/runner/ci"
)

//go:embed page/page.html
var pageHTML string

//go:embed page/page.css
var pageCSS string

//go:embed page/page.js
var pageJS string

// What the page shows where no script runs.
const shownProblems = 200

// HTML writes one page that needs no other file and no network: numbers, the comparison where there is one, and every case with
// its transcript. Its policy lets no script run but its own, whose hash it names; texts of the report are data to it. The error
// is the writer's.
func HTML(w io.Writer, r *ci.Report, c *Comparison) error {
	data, err := pageData(r)
	if err != nil {
		return err
	}
	return page.Write(w, pageHTML, newPage(r, c, data))
}

// shown is what the template shows.
type shown struct {
	page.Frame
	Report   *ci.Report
	State    string
	Verdict  string
	Facts    []string
	Tiles    []tile
	Share    []slice
	Files    diag.List
	Compare  *compared
	Jobs     []jobRow
	Problems []problem
	Data     template.HTML
}

type (
	tile   struct{ Class, Label, Value string }
	slice  struct{ Class, From, Width, Title string }
	jobRow struct {
		Name, Description, Target, Tokens, Cost, Time string
		Outcome                                       ci.Outcome
		Cases                                         int
		Share                                         []slice
	}
	problem struct{ ID, Outcome, Reason string }
)

func newPage(r *ci.Report, c *Comparison, data template.HTML) *shown {
	mark := mark(r, c)
	p := &shown{
		Frame:  page.New(mark+" "+r.Workspace+": "+verdict(r), pageCSS, pageJS),
		Report: r, State: "passed", Verdict: verdict(r), Tiles: tiles(r), Share: share(r.Totals), Data: data,
	}
	if mark != "✅" {
		p.State = "failed"
	}
	if !r.Started.IsZero() {
		p.Facts = append(p.Facts, r.Started.UTC().Format("2 January 2006, 15:04 UTC"))
	}
	if r.Totals.Cases > 0 {
		p.Facts = append(p.Facts, "took "+took(r.DurationMS), plural(r.Concurrency, "case")+" side by side")
	}
	if r.Shard != "" {
		p.Facts = append(p.Facts, "part "+r.Shard)
	}
	if r.Interrupted {
		p.Facts = append(p.Facts, "interrupted")
	}
	if !r.OK {
		p.Facts = append(p.Facts, fmt.Sprintf("exit code %d: %s", r.ExitCode, r.Kind))
	}
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error || d.Severity == diag.Warning {
			p.Files = append(p.Files, d)
		}
	}
	for _, j := range r.Jobs {
		p.Jobs = append(p.Jobs, jobRow{j.Name, j.Description, j.Target, grouped(j.Totals.Usage.Tokens()), dollars(j.Totals.Usage), took(j.DurationMS),
			j.Outcome, j.Totals.Cases, share(j.Totals)})
	}
	for _, k := range cases(r) {
		if bad(k.Outcome) && len(p.Problems) < shownProblems {
			p.Problems = append(p.Problems, problem{k.ID, string(k.Outcome), reason(k)})
		}
	}
	if c != nil {
		p.Compare = newCompared(c)
	}
	return p
}

func tiles(r *ci.Report) []tile {
	t := r.Totals
	list := []tile{{"", "cases", grouped(t.Cases)}}
	for _, n := range counts(t) {
		if n.Class == "zero" && n.Label != "passed" && n.Label != "failed" {
			continue
		}
		list = append(list, n)
	}
	return append(list, tile{"", "tokens", grouped(t.Usage.Tokens())}, tile{"", "cost", dollars(t.Usage)}, tile{"", "time", took(r.DurationMS)})
}

func counts(t ci.Totals) []tile {
	list := []tile{{"passed", "passed", strconv.Itoa(t.Passed)}, {"flaky", "flaky", strconv.Itoa(t.Flaky)}, {"failed", "failed", strconv.Itoa(t.Failed)},
		{"error", "not judged", strconv.Itoa(t.Errors)}, {"skipped", "skipped", strconv.Itoa(t.Skipped)}}
	for i := range list {
		if list[i].Value == "0" {
			list[i].Class = "zero"
		}
	}
	return list
}

// share is the outcomes as parts of a bar of 1000.
func share(t ci.Totals) []slice {
	var list []slice
	at := 0.0
	for _, n := range counts(t) {
		if n.Class == "zero" {
			continue
		}
		count, err := strconv.Atoi(n.Value)
		if err != nil || t.Cases == 0 {
			continue
		}
		wide := 1000 * float64(count) / float64(t.Cases)
		list = append(list, slice{n.Class, fmt.Sprintf("%.2f", at), fmt.Sprintf("%.2f", wide), n.Value + " " + n.Label})
		at += wide
	}
	return list
}

// packed is how many cases are compressed together: as many as the page draws at once.
const packed = 100

// pageData is the report for the script: an index that it reads at once, in which JSON with <, > and & escaped ends no element, and
// the cases in full, compressed, of which it unpacks what is opened.
func pageData(r *ci.Report) (template.HTML, error) {
	all := cases(r)
	rows := make([][]any, len(all))
	for i, c := range all {
		rows[i] = indexRow(r, c)
	}
	var b strings.Builder
	b.WriteString("<script type=\"application/json\" id=\"index\">")
	if err := json.NewEncoder(&b).Encode(map[string]any{"cases": rows, "packed": packed}); err != nil {
		return "", err
	}
	b.WriteString("</script>\n<script type=\"text/plain\" id=\"details\">")
	for some := range slices.Chunk(all, packed) {
		text, err := pack(some)
		if err != nil {
			return "", err
		}
		b.WriteString(text + "\n")
	}
	b.WriteString("</script>")
	return template.HTML(b.String()), nil
}

// pack is cases as JSON, a line each, compressed and in base64.
func pack(some []*ci.Case) (string, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return "", err
	}
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	for _, c := range some {
		if err := e.Encode(c); err != nil {
			return "", err
		}
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// indexRow is what the list shows of a case; the script names the columns.
func indexRow(r *ci.Report, c *ci.Case) []any {
	var cost, begin any
	if !c.Usage.Unpriced {
		cost = c.Usage.Cost
	}
	if len(c.Attempts) > 0 && !r.Started.IsZero() {
		begin = max(0, c.Attempts[0].Started.Sub(r.Started.Time).Milliseconds())
	}
	tags := c.Tags
	if tags == nil {
		tags = []string{}
	}
	why := ""
	if c.Outcome != ci.Passed {
		why = reason(c)
	}
	return []any{c.ID, c.Outcome, c.Turns, c.Usage.Tokens(), cost, c.DurationMS, why, tags, begin}
}
