package loader

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/swarmrun/swarmrun/agents"
	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/skills"
)

// TestWorkspaces loads whole workspaces. A file of testdata holds the workspace, under home/ the person's home folder, under managed/ what an
// administrator made, and
// under want/ what comes of it: the diagnostics and the graph. Lines of its comment that begin with "env " set variables.
func TestWorkspaces(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no workspaces: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := loadArchive(t, ar)
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(ar)), string(txtar.Format(got))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// loadArchive is the archive with the golden parts as they come out.
func loadArchive(t *testing.T, ar *txtar.Archive) *txtar.Archive {
	t.Helper()
	root, home, managed := t.TempDir(), t.TempDir(), t.TempDir()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	out := &txtar.Archive{Comment: ar.Comment}
	for _, f := range ar.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		out.Files = append(out.Files, f)
		if name, ok := strings.CutPrefix(f.Name, "home/"); ok {
			write(t, home, name, string(f.Data))
			continue
		}
		if name, ok := strings.CutPrefix(f.Name, "managed/"); ok {
			write(t, managed, name, string(f.Data))
			continue
		}
		write(t, root, f.Name, string(f.Data))
	}
	env, _ := testEnv(t)
	o := &Options{Env: env, Environ: []string{"HOME=" + home}, Managed: managed, Partial: true}
	for line := range strings.Lines(string(ar.Comment)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "env "); ok {
			o.Environ = append(o.Environ, v)
		}
	}
	live, err := Open(t.Context(), root, o)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	r := live.Report()
	g, release, err := live.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for name, text := range map[string]string{"diagnostics": diagnostics(r.Diagnostics), "graph": picture(t, r, g)} {
		data := strings.NewReplacer(filepath.ToSlash(home), "$HOME", filepath.ToSlash(managed), "$MANAGED").Replace(text)
		out.Files = append(out.Files, txtar.File{Name: "want/" + name, Data: []byte(data)})
	}
	slices.SortStableFunc(out.Files, func(a, b txtar.File) int {
		if !strings.HasPrefix(a.Name, "want/") || !strings.HasPrefix(b.Name, "want/") {
			return 0
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out
}

// diagnostics is one finding a line, with its help and notes below it.
func diagnostics(ds diag.List) string {
	var b bytes.Buffer
	for _, d := range ds {
		fmt.Fprintf(&b, "%s: %s[%s]: %s\n", d.Range, d.Severity, d.Code, d.Summary)
		if d.Detail != "" {
			fmt.Fprintf(&b, "    %s\n", d.Detail)
		}
		for _, n := range d.Notes {
			fmt.Fprintf(&b, "    note: %s: %s\n", n.Range, n.Text)
		}
		if d.Suggestion != "" {
			fmt.Fprintf(&b, "    help: %s\n", d.Suggestion)
		}
	}
	return b.String()
}

// picture is the graph as a person would draw it.
func picture(t *testing.T, r *Report, g *agents.Graph) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "ready: %v, default: %q\n", r.Ready, g.Default())
	for _, d := range r.Definitions {
		fmt.Fprintf(&b, "\n%s %s: %s, %s, %s\n", d.Kind, d.Name, d.File, d.Origin, d.Status)
		detail, ok := r.Show(d.Kind, d.Name)
		if !ok || d.Status == config.Skipped || detail.Definition.File != d.File {
			continue
		}
		for _, m := range detail.Models {
			price := "price unknown"
			if m.Price != nil {
				price = fmt.Sprintf("price %v/%v", m.Price.Input, m.Price.Output)
			}
			if m.Provider == scriptProvider {
				price = "free"
			}
			fmt.Fprintf(&b, "  model %s = %s/%s, %s\n", m.Reference, m.Provider, m.Model, price)
		}
		for _, x := range detail.Tools {
			fmt.Fprintf(&b, "  tool %s from %s: %s", x.Name, x.Source, x.Effect)
			for _, by := range x.By {
				fmt.Fprintf(&b, " by %s (%s)", by.Text, by.At)
			}
			b.WriteString("\n")
		}
		for _, x := range detail.Hooks {
			fmt.Fprintf(&b, "  hook %d on %s: %s (%s), %s, on error %s\n", x.Order, x.Event, x.Name, x.Does, x.Origin, x.OnError)
		}
		if d.Kind != config.KindAgent {
			continue
		}
		if a, ok := g.Agent(d.Name); ok {
			for _, x := range a.Delegates {
				fmt.Fprintf(&b, "  delegate %s as %s, keep %v\n", x.Agent, x.As, x.Keep)
			}
			if len(a.Team) > 0 {
				fmt.Fprintf(&b, "  team %s\n", strings.Join(a.Team, ", "))
			}
			if len(a.Skills.All())+len(a.Skills.Whole())+len(a.Skills.Skipped()) > 0 {
				fmt.Fprintf(&b, "  skills %s; whole %s; skipped %s\n", skillNames(a.Skills.All()), skillNames(a.Skills.Whole()), strings.Join(a.Skills.Skipped(), ", "))
			}
			fmt.Fprintf(&b, "  limits %d turns, %v, %v USD; mode %s\n", a.Limits.MaxTurns, a.Limits.Timeout, a.Limits.Budget.Cost, a.Rules.Mode)
		}
		fmt.Fprintf(&b, "  start: %s\n", startOf(g, d.Name))
	}
	if set := g.Commands(); set != nil {
		fmt.Fprintf(&b, "\ncommands %s\n", skillNames(set.All()))
	}
	nodes, edges := r.Map()
	fmt.Fprintf(&b, "\n%d nodes\n", len(nodes))
	for _, e := range edges {
		fmt.Fprintf(&b, "  %s -%s-> %s\n", e.From, e.Kind, e.To)
	}
	return b.String()
}

func skillNames(all []*skills.Skill) string {
	var names []string
	for _, k := range all {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// startOf puts a start in words.
func startOf(g *agents.Graph, name string) string {
	_, err := g.Start(name)
	if list, ok := errors.AsType[*diag.ListError](err); ok {
		var words []string
		for _, d := range list.List {
			if d.Severity == diag.Error {
				words = append(words, fmt.Sprintf("%s at %s", d.Code, d.Range))
			}
		}
		return "refused, " + strings.Join(words, ", ")
	}
	if err != nil {
		return err.Error()
	}
	return "ok"
}
