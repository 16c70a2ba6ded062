package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fault is one thing that does not fit.
type Fault struct {
	// Path leads from the root of the instance to the value: names of properties, and indexes from 0. A missing property
	// is a fault of the object that lacks it.
	Path []string
	// Key tells that the last name of Path is itself the fault (an unknown property), not the value behind it.
	Key bool
	// Message is one sentence without the path, lower case, without a full stop.
	Message string
}

// pathBytes is about how much of a path is shown.
const pathBytes = 300

// String is the message with the path in front: "todos[0].status: must be …".
func (f Fault) String() string {
	if len(f.Path) == 0 {
		return f.Message
	}
	var b strings.Builder
	for i, name := range f.Path {
		if b.Len() > pathBytes {
			b.WriteString("…")
			break
		}
		name = cut(name, displayBytes)
		switch _, err := strconv.Atoi(name); {
		case err == nil:
			b.WriteString("[" + name + "]")
		case i > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String() + ": " + f.Message
}

// place is where a value of the instance stands; nil is the root.
type place struct {
	within *place
	name   string
	member bool // of an object, not of a list
}

func (p *place) path() []string {
	var path []string
	for ; p != nil; p = p.within {
		path = append(path, p.name)
	}
	slices.Reverse(path)
	return path
}

// finding is a fault while several of them are still weighed against each other; its words are made when it is told.
type finding struct {
	at    *place
	key   bool
	types types // those that were asked for, where the type is wrong
	fixed []any // the values that were asked for, where the value is another one
	say   func() string
}

// maxFaults is how many faults are told of one value. Nobody mends more at once, and words take time and memory.
const maxFaults = 100

// faults lists findings as faults, each once, in the order of the paths.
func faults(found []finding) []Fault {
	type untold struct {
		finding
		path []string
	}
	all := make([]untold, len(found))
	for i, f := range found {
		all[i] = untold{f, f.at.path()}
	}
	slices.SortStableFunc(all, func(a, b untold) int { return slices.CompareFunc(a.path, b.path, compareNames) })
	var out []Fault
	for _, f := range all[:min(len(all), maxFaults)] {
		out = append(out, Fault{f.path, f.key, f.say()})
	}
	slices.SortStableFunc(out, func(a, b Fault) int {
		return cmp.Or(slices.CompareFunc(a.Path, b.Path, compareNames), cmp.Compare(a.Message, b.Message))
	})
	out = slices.CompactFunc(out, func(a, b Fault) bool {
		return slices.Equal(a.Path, b.Path) && a.Message == b.Message
	})
	if more := len(found) - maxFaults; more > 0 {
		out = append(out, Fault{Message: fmt.Sprintf("and %d more", more)})
	}
	return out
}

// compareNames orders indexes by number and names by letter.
func compareNames(a, b string) int {
	i, erri := strconv.Atoi(a)
	j, errj := strconv.Atoi(b)
	if erri == nil && errj == nil {
		return cmp.Compare(i, j)
	}
	return cmp.Compare(a, b)
}
