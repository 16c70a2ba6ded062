package skills

import (
	"cmp"
	"slices"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Skill is a text for a model, and what the model may do with it. It is immutable.
type Skill struct {
	Name        string
	Description string // what it does and when to use it
	Text        string // the body as it is written
	File        string // as messages show it
	Folder      string // where its files lie, absolute and without links; "" = it has none, such as a command
	Command     bool   // a slash command
	Hidden      bool   // models do not see it
	Private     bool   // a person cannot call it
	Verbatim    bool   // nothing is filled in
	NoShell     bool   // commands of the body are not run
	Arguments   []string
	Variables   map[string]string // ${NAME} in the body, besides those of a use

	Effort   string                 // of thinking, from its loading to the end of the exchange; "" = the agent's
	Fork     bool                   // it is worked on in a conversation of its own
	Agent    string                 // by whom; "" = whoever loads it
	ReadOnly bool                   // what works on it there changes nothing
	Match    func(path string) bool // of a file's path, from the root with slashes: then models see it; nil = at once

	Allowed []Rule // pre-approved while it is active
	Refused []Rule // refused while it is active
	Only    []Rule // the tools that are left while it is the last one that was loaded; empty = all
	Foreign bool   // the rules mean what they mean in Claude Code
	Origin  diag.Range
}

// Rule is a permission rule as written; package tools reads it.
type Rule struct {
	Text string
	At   diag.Range
}

// Set is the skills that somebody sees, by name. It is immutable; a nil Set is empty.
type Set struct {
	all     []*Skill
	byName  map[string]*Skill
	whole   []*Skill
	skipped []string
	below   Below
}

// Below reads the skills that lie in a folder of a workspace (a path with slashes, relative to its root) for the files there,
// named folder:skill, and says what is wrong with those that it leaves out.
type Below func(root, folder string) (found []*Skill, faults []string)

// New makes a set. Names must be unique; aliases are other names, which count where no skill has them.
func New(all []*Skill, aliases map[string]*Skill) *Set {
	s := &Set{all: slices.Clone(all), byName: make(map[string]*Skill, len(all)+len(aliases))}
	slices.SortFunc(s.all, func(a, b *Skill) int { return cmp.Compare(a.Name, b.Name) })
	for name, k := range aliases {
		s.byName[name] = k
	}
	for _, k := range s.all {
		s.byName[k.Name] = k
	}
	return s
}

// With is the set with skills that are put whole into the prompt, so that nobody needs to load them, and the names of those
// that were asked for and are not there.
func (s *Set) With(whole []*Skill, skipped []string) *Set {
	out := *s
	out.whole, out.skipped = whole, skipped
	return &out
}

// Nesting is the set with a way to the skills of folders.
func (s *Set) Nesting(b Below) *Set {
	out := *s
	out.below = b
	return &out
}

// Nests tells whether folders may bring skills.
func (s *Set) Nests() bool { return s != nil && s.below != nil }

// Below are the skills of a folder.
func (s *Set) Below(root, folder string) (found []*Skill, faults []string) {
	if !s.Nests() {
		return nil, nil
	}
	return s.below(root, folder)
}

// All are the skills, sorted by name, without those that are put whole into the prompt and those that wait for a file.
func (s *Set) All() []*Skill {
	return s.choose(func(k *Skill) bool { return k.Match == nil })
}

// Waiting are the skills that models see once they reach a file that they are for.
func (s *Set) Waiting() []*Skill {
	return s.choose(func(k *Skill) bool { return k.Match != nil })
}

func (s *Set) choose(wanted func(*Skill) bool) []*Skill {
	if s == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.all), func(k *Skill) bool { return slices.Contains(s.whole, k) || !wanted(k) })
}

// Whole are the skills that are put into the prompt.
func (s *Set) Whole() []*Skill {
	if s == nil {
		return nil
	}
	return s.whole
}

// Skipped are the names that were asked for and are not there.
func (s *Set) Skipped() []string {
	if s == nil {
		return nil
	}
	return s.skipped
}

// Named finds a skill by its name or another name of it.
func (s *Set) Named(name string) (*Skill, bool) {
	if s == nil {
		return nil, false
	}
	k, ok := s.byName[name]
	return k, ok
}
