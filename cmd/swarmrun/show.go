package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/providers"
	"github.com/swarmrun/swarmrun/tools"
)

type showAnswer struct {
	OK           bool                 `json:"ok"`
	Definition   definitionJSON       `json:"definition"`
	Fields       map[string]fieldJSON `json:"fields"`
	Prompt       *string              `json:"prompt,omitempty"`
	PromptTokens *int                 `json:"prompt_tokens,omitempty"`
	Text         *string              `json:"text,omitempty"`   // of a skill or command: what the model sees
	Tokens       *int                 `json:"tokens,omitempty"` // what that costs it, as estimated
	Models       []modelJSON          `json:"models,omitzero"`
	Tools        []toolJSON           `json:"tools,omitzero"`
	Hooks        []hookJSON           `json:"hooks,omitzero"`
	Sandbox      *sandboxJSON         `json:"sandbox,omitempty"`
	Diagnostics  diag.List            `json:"diagnostics"`

	detail  *loader.Detail
	verbose bool
}

type fieldJSON struct {
	Value  any    `json:"value"`
	Origin string `json:"origin"`
	File   string `json:"file,omitempty"`
	Line   int32  `json:"line,omitempty"`
}

type modelJSON struct {
	Reference     string           `json:"reference"`
	Provider      string           `json:"provider"`
	Model         string           `json:"model"`
	ContextWindow int              `json:"context_window,omitempty"`
	Price         *providers.Price `json:"price,omitempty"`
}

type toolJSON struct {
	Name   string     `json:"name"`
	Source string     `json:"source"`
	Effect string     `json:"effect"`
	By     []ruleJSON `json:"by"`
	Except []ruleJSON `json:"except,omitempty"`
}

// hookJSON is one hook on one event, in the order in which they run.
type hookJSON struct {
	Event   string `json:"event"`
	Name    string `json:"name"`
	Order   int    `json:"order"`
	Match   string `json:"match,omitempty"`
	Does    string `json:"does"`
	OnError string `json:"on_error"`
	File    string `json:"file"`
	Line    int32  `json:"line"`
}

type ruleJSON struct {
	Rule string `json:"rule"`
	File string `json:"file,omitempty"`
	Line int32  `json:"line,omitempty"`
}

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show KIND NAME | show config",
		Short: "Show the effective form of one thing: values, tools and models with where they came from",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "config" {
				return nil
			}
			return exactArgs("KIND", "NAME")(cmd, args)
		},
		ValidArgsFunction: a.completeShow,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			r, err := a.report(cmd.Context())
			if err != nil {
				return err
			}
			if args[0] == "config" && len(args) == 1 {
				a.summary(r.Diagnostics)
				return a.answer(configOf(r))
			}
			kind, err := kindNamed(args[0])
			if err != nil {
				return err
			}
			d, ok := r.Show(kind, args[1])
			if !ok {
				return noDefinition(r, kind, args[1])
			}
			v := shown(d, r)
			v.verbose = a.verbose
			return a.answer(v)
		},
	}
}

func noDefinition(r *loader.Report, kind config.Kind, name string) error {
	var names []string
	for _, d := range r.List(kind) {
		names = append(names, d.Name)
	}
	err := usagef("no %s named %q", kind, name)
	if near, ok := diag.Closest(name, names); ok {
		return err.hint("did you mean %q?", near)
	}
	return err.hint("`swarmrun list %s` shows what there is", kind)
}

// label is a model as -m takes it, with what stands behind a name.
func (m modelJSON) label() string {
	if full := m.Provider + "/" + m.Model; full != m.Reference {
		return m.Reference + " = " + full
	}
	return m.Reference
}

func shown(d *loader.Detail, r *loader.Report) showAnswer {
	v := showAnswer{OK: true, Definition: listed(d.Definition), Fields: map[string]fieldJSON{}, Diagnostics: d.Diagnostics, detail: d}
	for _, f := range d.Fields {
		v.Fields[f.Key] = fieldJSON{Value: f.Value, Origin: f.Origin, File: f.At.File, Line: f.At.Start.Line}
	}
	if d.Definition.Kind == config.KindAgent {
		v.Prompt, v.PromptTokens = &d.Prompt, &d.PromptTokens
		v.Models, v.Tools, v.Hooks = []modelJSON{}, []toolJSON{}, []hookJSON{}
		v.Sandbox = sandboxOf(r, d.Definition.Name)
	}
	if d.Definition.Kind == config.KindSkill || d.Definition.Kind == config.KindCommand {
		v.Text, v.Tokens = &d.Prompt, &d.PromptTokens
	}
	for _, m := range d.Models {
		v.Models = append(v.Models, modelJSON(m))
	}
	for _, h := range d.Hooks {
		v.Hooks = append(v.Hooks, hookJSON{
			Event: h.Event, Name: h.Name, Order: h.Order, Match: h.Match, Does: h.Does, OnError: h.OnError, File: h.Origin.File, Line: h.Origin.Start.Line,
		})
	}
	for _, t := range d.Tools {
		v.Tools = append(v.Tools, toolJSON{Name: t.Name, Source: t.Source, Effect: t.Effect, By: rulesJSON(t.By), Except: rulesJSON(t.Except)})
	}
	return v
}

func rulesJSON(rules []tools.Rule) []ruleJSON {
	out := []ruleJSON{}
	for _, r := range rules {
		out = append(out, ruleJSON{Rule: r.Text, File: r.At.File, Line: r.At.Start.Line})
	}
	return out
}

func (v showAnswer) text(w io.Writer) error {
	d := v.detail
	fmt.Fprintf(w, "%s %s  (%s, %s)\n", d.Definition.Kind, printable.Line(d.Definition.Name), where(d.Definition.At, d.Definition.File, string(d.Definition.Origin)), d.Definition.Status)
	if d.Definition.Description != "" {
		fmt.Fprintf(w, "  %s\n", printable.Line(d.Definition.Description))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	v.fields(t)
	if len(d.Models) > 0 {
		fmt.Fprintln(t, "\nMODEL\tWINDOW\tPRICE PER MILLION TOKENS")
		for _, m := range v.Models {
			fmt.Fprintf(t, "%s\t%s\t%s\n", printable.Line(m.label()), window(m.ContextWindow), price(m.Price))
		}
	}
	if len(d.Tools) > 0 {
		fmt.Fprintln(t, "\nTOOL\tEFFECT\tBY")
		for _, tool := range d.Tools {
			fmt.Fprintf(t, "%s\t%s\t%s\n", printable.Line(tool.Name), tool.Effect, rules(tool))
		}
	}
	if len(d.Hooks) > 0 {
		fmt.Fprintln(t, "\nHOOK\tEVENT\tMATCH\tON ERROR\tWHERE")
		for _, h := range v.Hooks {
			fmt.Fprintf(t, "%d %s\t%s\t%s\t%s\t%s:%d\n", h.Order, printable.Line(h.Name), h.Event, cmp.Or(printable.Line(h.Match), "*"), h.OnError, printable.Line(h.File), h.Line)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	v.Sandbox.text(w)
	if v.Text != nil {
		fmt.Fprintf(w, "\nWHAT THE MODEL SEES (about %s tokens)\n%s\n", tokens(d.PromptTokens), printable.Text(strings.TrimRight(d.Prompt, "\n")))
	} else if d.Prompt != "" {
		fmt.Fprintf(w, "\nPROMPT (about %s tokens)\n%s\n", tokens(d.PromptTokens), printable.Text(strings.TrimRight(d.Prompt, "\n")))
	}
	if len(d.Diagnostics) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return diag.WriteText(w, d.Diagnostics, &diag.TextOptions{})
}

// fields are the settings that somebody wrote, and in one line those that nobody did.
func (v showAnswer) fields(w io.Writer) {
	var defaults []string
	head := "\nFIELD\tVALUE\tFROM\n"
	for _, f := range v.detail.Fields {
		value := cut(printable.Line(jsonText(f.Value)), 70)
		switch {
		case f.Key == "name" || f.Key == "description": // stands above
		case f.Origin == "default" && !v.verbose:
			defaults = append(defaults, f.Key+" "+value)
		default:
			fmt.Fprintf(w, "%s%s\t%s\t%s\n", head, f.Key, value, where(f.At, f.At.File, f.Origin))
			head = ""
		}
	}
	if len(defaults) > 0 {
		fmt.Fprintf(w, "\nby default: %s\n", strings.Join(defaults, ", "))
	}
}

func words(refs []config.Ref) []string {
	out := make([]string, len(refs))
	for i, r := range refs {
		out[i] = r.V
	}
	return out
}

func where(at diag.Range, file, origin string) string {
	switch {
	case at.Start.Line > 0:
		return fmt.Sprintf("%s:%d", printable.Line(at.File), at.Start.Line)
	case file != "":
		return printable.Line(file)
	}
	return origin
}

// rules are the lines that made the effect on a tool.
func rules(t loader.ToolDetail) string {
	text := cmp.Or(ruleLines(t.Name, t.By), t.Source)
	if except := ruleLines(t.Name, t.Except); except != "" {
		text += ", but for " + except
	}
	return text
}

func ruleLines(tool string, rules []tools.Rule) string {
	var out []string
	for _, r := range rules {
		text := printable.Line(r.Text) + " "
		if r.Text == tool {
			text = ""
		}
		out = append(out, text+where(r.At, r.At.File, "the default set"))
	}
	return strings.TrimSpace(strings.Join(out, ", "))
}

func window(n int) string {
	if n == 0 {
		return "unknown"
	}
	return tokens(n)
}

func price(p *providers.Price) string {
	if p == nil {
		return "unknown"
	}
	return fmt.Sprintf("$%.2f in, $%.2f out", p.Input, p.Output)
}

// jsonText is a value as JSON, a text as itself, and texts separated by commas.
func jsonText(v any) string {
	switch s := v.(type) {
	case string:
		return s
	case []string:
		if len(s) > 0 {
			return strings.Join(s, ", ")
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
