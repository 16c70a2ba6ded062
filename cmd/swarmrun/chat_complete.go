package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/internal/printable"
)

// word is the word before the cursor, and whether it is the first too.
func (s *chatScreen) word() (word string, first bool) {
	text := string(s.input.text[:s.input.at])
	i := strings.LastIndexAny(text, " \n\t") + 1
	return text[i:], i == 0
}

// offer looks for completions of the word at hand.
func (s *chatScreen) offer() {
	word, first := s.word()
	s.offers, s.chosen = nil, 0
	if s.complete == nil || len(word) == 0 || word[0] != '@' && (word[0] != '/' || !first) {
		return
	}
	all := s.complete(word)
	if len(all) == 1 && all[0] == word {
		return
	}
	s.offers = all
}

// accept writes the chosen completion. A folder can be completed further, behind all else comes a blank.
func (s *chatScreen) accept() {
	if len(s.offers) == 0 {
		s.offer()
	}
	if len(s.offers) == 0 {
		return
	}
	word, _ := s.word()
	s.input.cutTo(s.input.at - len([]rune(word)))
	text := s.offers[s.chosen]
	if !strings.HasSuffix(text, "/") {
		text += " "
	}
	s.input.insert(text)
	s.offer()
}

// completions are what a word that begins with / or @ may become.
func (m *chatModel) completions(word string) []string {
	if m.loading {
		return nil
	}
	if rest, ok := strings.CutPrefix(word, "@"); ok {
		return m.c.files(rest)
	}
	var out []string
	for _, k := range chatCommands() {
		out = append(out, "/"+k.name)
	}
	for _, name := range m.c.w.commands() {
		out = append(out, "/"+name)
	}
	slices.Sort(out)
	return slices.DeleteFunc(out, func(s string) bool { return !strings.HasPrefix(s, word) })
}

// files are the paths that begin so, as @words. Hidden ones have to be asked for.
func (c *chat) files(prefix string) []string {
	dir, base := filepath.Split(prefix)
	place := dir
	if place == "" {
		place = "."
	}
	entries, err := os.ReadDir(c.app.path(place))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") || name != printable.Line(name) || strings.Contains(name, " ") {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		out = append(out, "@"+dir+name)
	}
	return out
}
