package config

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
	"github.com/swarmrun/swarmrun/internal/lazy"
)

var (
	// reference is ${VAR}, ${VAR:-default} or ${VAR:?message}; $$ is a dollar.
	reference = lazy.MustCompile(`\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?:(:-|:\?)([^}]*))?\}`)
	// alone is a value that is one variable and nothing else.
	alone = lazy.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::\?[^}]*)?\}$`)
	// guards is the keys, with those that they stand under, whose values forbid something: none can count as absent.
	guards = lazy.MustCompile(`^(defaults\.)?(permissions|(permissions\.)?(deny|ask)|(disallowed_)?tools|disallowedTools|permission_?[mM]ode|budget(\.\w+)?)$|` +
		`^sandbox(\.mode|\.network)?$`)
)

// variables expands references in the values of a YAML file.
type variables struct {
	env map[string]string
	doc *frontmatter.Document
	// from is the values that were a variable alone, with its name; written the text of all that held one; absent the maps
	// that lost a value, lost the keys of those where that is an error.
	from    map[*yaml.Node]string
	written map[*yaml.Node]string
	absent  map[*yaml.Node]bool
	lost    lostKeys
	path    []string // the keys that lead to where it is
	ds      diag.List
}

func newVariables(pairs []string) variables {
	return variables{
		env: environment(pairs), from: map[*yaml.Node]string{}, written: map[*yaml.Node]string{}, absent: map[*yaml.Node]bool{},
		lost: lostKeys{},
	}
}

// environment reads NAME=value pairs; of a name that occurs twice the last one counts, as in a process.
func environment(pairs []string) map[string]string {
	env := make(map[string]string, len(pairs))
	for _, p := range pairs {
		if name, value, ok := strings.Cut(p, "="); ok {
			env[name] = value
		}
	}
	return env
}

// expand goes through the values below a node. What holds an unset variable counts as absent and is taken out; a key of a
// provider stays, empty, since the provider's own variable may serve.
func (x *variables) expand(n *yaml.Node) {
	kept := n.Content[:0]
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v, before := n.Content[i], n.Content[i+1], len(x.ds)
			x.path = append(x.path, k.Value)
			keep := x.value(v, k.Value)
			if x.path = x.path[:len(x.path)-1]; keep {
				kept = append(kept, k, v)
				continue
			}
			x.absent[n] = true
			if x.ds[before:].HasErrors() {
				x.lost.add(n, k, k.Value)
			}
		}
	case yaml.SequenceNode:
		for _, c := range n.Content {
			if x.value(c, "") {
				kept = append(kept, c)
			}
		}
	default:
		return
	}
	n.Content = kept
}

// value expands one value; false: it counts as absent.
func (x *variables) value(n *yaml.Node, key string) bool {
	if n.Kind != yaml.ScalarNode {
		x.expand(n)
		return true
	}
	if !strings.Contains(n.Value, "$") {
		return true
	}
	if m := alone.Get().FindStringSubmatch(n.Value); m != nil {
		x.from[n] = m[1]
	}
	x.written[n] = n.Value
	at, keep := x.doc.Range(n), true
	n.Value = reference.Get().ReplaceAllStringFunc(n.Value, func(ref string) string {
		value, ok := x.lookup(ref, key, at)
		keep = keep && ok
		return value
	})
	n.Tag, n.Style = "!!str", n.Style&^yaml.TaggedStyle
	if !keep && key == "api_key" {
		n.Value, keep = "", true
	}
	return keep
}

// lookup is what a reference stands for; false: it is unset, which has been reported.
func (x *variables) lookup(ref, key string, at diag.Range) (string, bool) {
	if ref == "$$" {
		return "$", true
	}
	m := reference.Get().FindStringSubmatch(ref)
	name, operator, word := m[1], m[2], m[3]
	value, set := x.env[name]
	switch {
	case set && (value != "" || operator == ""):
		return value, true
	case operator == ":-":
		return word, true
	case operator == ":?":
		x.ds.Add(diag.New("E-VAR-UNSET", at, "the variable %s is not set: %s", name, word).Suggest("set %s in the environment", name))
	case key == "api_key":
		x.ds.Add(diag.New("I-VAR-UNSET", at, "the variable %s is not set; the provider's own variable may serve", name).
			Suggest("set %s in the environment", name))
	case guards.Get().MatchString(strings.Join(x.path, ".")):
		x.ds.Add(diag.New("E-VAR-UNSET", at, "the variable %s is not set, and without it less would be forbidden", name).
			Suggest("set %s in the environment, or write ${%s:-default}", name, name))
	default:
		x.ds.Add(diag.New("W-VAR-UNSET", at, "the variable %s is not set, so the value counts as absent", name).
			Suggest("set %s in the environment, or write ${%s:-default}", name, name))
	}
	return "", false
}
