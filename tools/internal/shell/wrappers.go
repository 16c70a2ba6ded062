package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// wrappers only start another command. Each has the options it is read with: their value is how many words they take.
// With any other option the command stays as it is and counts as one that runs its arguments.
var wrappers = lazy.Value[map[string]wrapper]{New: func() map[string]wrapper {
	return map[string]wrapper{
		"timeout": {map[string]int{"-k": 2, "-s": 2, "-v": 1, "--foreground": 1, "--preserve-status": 1, "--verbose": 1}, 1},
		"time":    {map[string]int{"-p": 1}, 0},
		"nice":    {map[string]int{"-n": 2}, 0},
		"nohup":   {nil, 0},
		"stdbuf":  {map[string]int{"-i": 2, "-o": 2, "-e": 2, "-oL": 1, "-eL": 1, "-o0": 1, "-e0": 1, "-i0": 1}, 0},
		"command": {map[string]int{"-p": 1}, 0},
		"builtin": {nil, 0},
		"noglob":  {nil, 0},
		"xargs":   {nil, 0},
	}
}}

type wrapper struct {
	options  map[string]int
	operands int // words between the options and the command
}

// unwrap takes wrappers off, one after the other.
func (c *Command) unwrap() {
	for range 10 {
		inner, ok := unwrap(c.Words)
		if !ok {
			return
		}
		c.outer = append(c.outer, c.Words)
		c.Words = inner
	}
}

func unwrap(words []string) ([]string, bool) {
	if len(words) < 2 {
		return nil, false
	}
	w, ok := wrappers.Get()[words[0]]
	if !ok {
		return nil, false
	}
	rest := words[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		n, ok := w.options[rest[0]]
		if !ok || n > len(rest) || !knownAll(rest[:n]) {
			return nil, false
		}
		rest = rest[n:]
	}
	if len(rest) <= w.operands || !knownAll(rest[:w.operands]) {
		return nil, false
	}
	rest = rest[w.operands:]
	if words[0] == "xargs" {
		rest = append(slices.Clip(rest), string(Unknown)) // what it reads
	}
	return rest, true
}

func knownAll(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !Known(w) })
}

// script is the text of shell that a command runs and that is known: sh -c TEXT, eval TEXT.
func script(words []string) (string, bool) {
	for i, w := range words {
		switch name := path.Base(w); {
		case name == "eval" && i+1 < len(words):
			return text(words[i+1:])
		case slices.Contains(shells, name):
			for k := i + 1; k+1 < len(words); k++ {
				if strings.HasPrefix(words[k], "-") && !strings.HasPrefix(words[k], "--") && strings.Contains(words[k], "c") {
					return text(words[k+1 : k+2])
				}
			}
		}
	}
	return "", false
}

func text(words []string) (string, bool) {
	if !knownAll(words) {
		return "", false
	}
	return strings.ReplaceAll(join(words), string(Blank), " "), true
}
