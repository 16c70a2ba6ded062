package loader

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
)

// Bounds of what a prompt may include.
const (
	maxIncludeDepth  = 4
	maxPrompt        = 4 << 20 // bytes
	maxIncludeFaults = 20      // that are told of one line
)

// resolvePrompt puts the files that the body of a native agent names in lines of the form @path in their place. Lines in
// code blocks stay as they are.
func (w *world) resolvePrompt(a *agent) diag.List {
	if a.claude() {
		return nil
	}
	var ds diag.List
	in := includer{root: w.tree.root, left: maxPrompt, sources: w.sources}
	text := in.expand(a.Prompt, a.file.path, 0, func(i config.Include, faults ...error) {
		at := diag.At(a.File, int(a.Body.Start.Line)+i.Line, i.Column, utf8.RuneCountInString(i.Path)+1)
		for _, err := range faults {
			ds.Add(diag.New("E-INCLUDE", at, "@%s: %v", i.Path, err).
				Suggest("paths start at the folder of this file and stay inside the workspace; quote the line with ` if no file is meant"))
		}
	})
	a.looked = in.looked
	if len(ds) == 0 {
		a.prompt = text
	}
	return ds
}

// includer replaces lines by files.
type includer struct {
	root  string
	left  int      // bytes that may still be added
	chain []string // files being included

	looked bool // a file was asked for

	sources *sources
}

// expand replaces the lines of a text of file that include another. fail hears of each that cannot be replaced; those of
// included files are told at the line that brought them in.
func (in *includer) expand(text, file string, depth int, fail func(config.Include, ...error)) string {
	includes := config.Includes(text)
	if len(includes) == 0 {
		return text
	}
	var b strings.Builder
	from := 0
	for _, i := range includes {
		got, faults := in.read(i.Path, file, depth)
		if len(faults) > 0 {
			fail(i, faults...)
			continue
		}
		b.WriteString(text[from:i.Start])
		b.WriteString(got)
		from = i.End
	}
	b.WriteString(text[from:])
	return b.String()
}

// read is the text of an included file, with what that includes, ending in a line break; or all that is wrong with that.
func (in *includer) read(path, from string, depth int) (string, []error) {
	real, err := in.find(path, from, depth)
	if err != nil {
		return "", []error{err}
	}
	data, err := in.sources.read(real)
	if err != nil {
		return "", []error{errors.New(readFault(err))}
	}
	if in.left -= len(data); in.left < 0 {
		return "", []error{fmt.Errorf("the prompt would be larger than %d MiB", maxPrompt>>20)}
	}
	in.chain = append(in.chain, real)
	defer func() { in.chain = in.chain[:len(in.chain)-1] }()
	var faults []error
	text := in.expand(normal(data), real, depth+1, func(i config.Include, inner ...error) {
		for _, err := range inner[:min(len(inner), maxIncludeFaults-len(faults))] {
			faults = append(faults, fmt.Errorf("line %d of it includes @%s: %w", i.Line+1, i.Path, err))
		}
	})
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text, faults
}

// find is the real path of a file that may be included.
func (in *includer) find(path, from string, depth int) (string, error) {
	in.looked = true
	if depth >= maxIncludeDepth {
		return "", fmt.Errorf("included more than %d files deep", maxIncludeDepth)
	}
	if filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
		return "", errors.New("the path is not relative")
	}
	named := filepath.Join(filepath.Dir(from), filepath.FromSlash(path))
	real, err := filepath.EvalSymlinks(named)
	if real != named {
		in.sources.note(named, digest{}) // it is, or may become, a link
	}
	switch {
	case os.IsNotExist(err):
		return "", errors.New("there is no such file")
	case err != nil:
		return "", errors.New("the file cannot be reached")
	case filepath.IsAbs(slash(in.root, real)):
		return "", errors.New("the file lies outside the workspace")
	case slices.Contains(in.chain, real) || real == from:
		return "", errors.New("the file includes itself")
	}
	return real, nil
}

// normal is a text with its line ends as the rest of a prompt has them.
func normal(data []byte) string {
	s := strings.ToValidUTF8(strings.TrimPrefix(string(data), "\ufeff"), "\uFFFD")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}
