package importer

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/loader"
)

// The programs whose files are read.
const (
	Claude   = string(config.FromClaude)
	Copilot  = string(config.FromCopilot)
	Gemini   = string(config.FromGemini)
	Opencode = string(config.FromOpencode)
	Docker   = string(config.FromDocker)
	Goose    = "goose"
)

// Formats are the words of --from.
func Formats() []string { return []string{Claude, Copilot, Docker, Gemini, Goose, Opencode} }

// besideClaude are the trees that belong to Claude Code and have words of their own.
var besideClaude = [...]string{"mcp.json", "agents-skills"}

// maxFile is the largest file that is read, in bytes.
const maxFile = 4 << 20

// File is one native file, from one or more files of the source.
type File struct {
	Path string // from the root of the workspace, with slashes
	From string // as diagnostics call it
	Data []byte
}

// Result is what a source makes.
type Result struct {
	Files []File
	Left  diag.List // what was not carried over, at its place in the source

	root string // that places in the source start from
}

// longestWhat is how many characters of the source are told of a thing that was not carried over.
const longestWhat = 80

// What is the text of the source that a finding of Left is about; the file where it is about the whole of it.
func (r *Result) What(d diag.Diagnostic) string {
	data, err := wholefile.Read(filepath.Join(r.root, filepath.FromSlash(d.Range.File)), maxFile)
	if err != nil {
		return d.Range.File
	}
	what := strings.TrimSpace(d.Range.Text(data))
	if plain, err := strconv.Unquote(what); err == nil {
		what = plain
	}
	text := []rune(what)
	switch {
	case len(text) == 0:
		return d.Range.File
	case len(text) > longestWhat:
		return string(text[:longestWhat]) + "…"
	}
	return string(text)
}

// ErrNothing says that a source holds nothing that could be imported.
var ErrNothing = errors.New("there is nothing to import")

// Read turns a file or a folder into native files. from is one of Formats; "" finds it out. env is what the agents may name.
func Read(ctx context.Context, source, from string, env *loader.Environment) (*Result, error) {
	info, err := os.Stat(source)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(source)
	if err != nil {
		return nil, err
	}
	b := newBuilder(env)
	root := filepath.Dir(abs)
	if info.IsDir() {
		root = b.folder(abs, from)
	} else if err := b.file(abs, from); err != nil {
		return nil, err
	}
	if len(b.agents)+len(b.extra) == 0 && len(b.left) == 0 {
		return nil, ErrNothing
	}
	r, err := b.finish(ctx)
	if r != nil {
		r.root = root
	}
	return r, err
}

// Write puts the files into a workspace. A file that is there already stays as it is and is told.
func (r *Result) Write(dir string) (written []File, err error) {
	for _, f := range r.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return written, err
		}
		err := create(path, f.Data)
		if errors.Is(err, fs.ErrExist) {
			r.Left.Add(diag.New("W-NOT-CARRIED", diag.At(f.From, 1, 1, 0), "%s is there already and stays as it is", f.Path))
			continue
		}
		if err != nil {
			return written, err
		}
		written = append(written, f)
	}
	r.Left = r.Left.Sort()
	return written, nil
}

// create writes a new file; one that is there is an error.
func create(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// file reads one file.
func (b *builder) file(path, from string) error {
	data, err := wholefile.Read(path, maxFile)
	if err != nil {
		return err
	}
	name := filepath.ToSlash(filepath.Base(path))
	switch {
	case from != "":
	case strings.HasSuffix(path, ".md"):
		from = treeOf(filepath.ToSlash(path))
	default:
		if from = Docker; !looksLikeTeam(data) {
			from = Goose
		}
	}
	switch from {
	case Docker, Goose:
		b.teamFile(data, name, from)
	default:
		b.agent(data, name, config.Origin(from))
	}
	return nil
}

// treeOf tells by its path whose a Markdown file is.
func treeOf(path string) string {
	switch {
	case strings.Contains(path, "/.github/"), strings.HasSuffix(path, ".agent.md"), strings.HasSuffix(path, ".chatmode.md"):
		return Copilot
	case strings.Contains(path, "/.gemini/"):
		return Gemini
	case strings.Contains(path, "/.opencode/"), strings.Contains(path, "/opencode/agent"):
		return Opencode
	}
	return Claude
}

// looksLikeTeam tells a team of docker-agent from a recipe: it has agents: at the root.
func looksLikeTeam(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "agents:") {
			return true
		}
	}
	return false
}

// folder reads the trees of a folder, or of the folder that a tree lies in, and tells which of the two it was.
func (b *builder) folder(dir, from string) string {
	if name := filepath.Base(dir); slices.Contains([]string{".claude", ".github", ".gemini", ".opencode"}, name) {
		dir = filepath.Dir(dir)
	}
	tree := wholefile.Dir(dir, maxFile)
	same := func(path string) string { return path }
	for _, f := range b.env.Formats {
		if from != "" && from != f.Name() && (from != Claude || !slices.Contains(besideClaude[:], f.Name())) {
			continue
		}
		folders, ds := f.Folders(tree, false, same)
		b.left.Add(told(ds)...)
		set, ds := f.Settings(tree, false, same)
		b.settings(set, ds)
		if set != nil {
			b.limits = append(b.limits, set)
			if !set.NoHooks.V {
				b.treeHooks(set.Hooks)
			}
		}
		slices.SortStableFunc(folders, func(x, y config.Folder) int { return cmp.Compare(order(x), order(y)) })
		for _, place := range folders {
			b.place(tree, place, config.Origin(f.Name()))
		}
	}
	if from == "" || from == Docker || from == Goose {
		b.yaml(dir, from)
	}
	b.given = nil
	return dir
}

// order has hooks read first: agents are not imported without those that guard them.
func order(place config.Folder) int {
	if place.Kind == config.KindHook {
		return 0
	}
	return 1
}

// yaml reads the teams and recipes that lie in a folder itself.
func (b *builder) yaml(dir, from string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		ext := strings.ToLower(filepath.Ext(e.Name()))
		if ext != ".yaml" && ext != ".yml" || !e.Type().IsRegular() || e.Name() == loader.SettingsFile {
			continue
		}
		data, err := wholefile.Read(filepath.Join(dir, e.Name()), maxFile)
		if err != nil || from == "" && !looksLikeTeam(data) {
			continue
		}
		b.teamFile(data, e.Name(), from)
	}
}

// teamFile reads a file of goose, or else of docker-agent.
func (b *builder) teamFile(data []byte, name, from string) {
	read := config.ReadDockerAgents
	if from == Goose {
		read = config.ReadRecipe
	}
	t, ds := read(data, name)
	b.team(name, t, ds)
}
