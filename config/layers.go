package config

import (
	"slices"
	"strings"

	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/v2"
	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// Layers are the sources of the settings, weakest first.
type Layers struct {
	User      Source   // the person's own swarmrun.yaml
	Workspace Source   // that of the workspace
	Env       []string // NAME=value pairs of the process: for SWARMRUN_…, and for the references in values
	// Flags are values from the command line by path, such as retry::deadline. Those below defaults:: also beat what
	// agents say themselves.
	Flags map[string]string
}

// Source is a settings file. No Data: there is none.
type Source struct {
	File string
	Data []byte
}

// delimiter joins the steps of a path. It cannot be a dot: names of models hold dots.
const delimiter = "::"

// envPrefix is how variables begin that are settings; two underscores lead one level down.
const envPrefix = "SWARMRUN_"

// layer is one source: the values that hold in it, by path.
type layer struct {
	name   string
	values *koanf.Koanf // path → number of a leaf
}

// leaf is a value that is no map, and where it comes from.
type leaf struct {
	layer string
	node  *yaml.Node
}

// stack merges layers. koanf carries numbers of leaves, so that a merged value still knows its node and its file.
type stack struct {
	layers []layer
	leaves []leaf
	keys   map[string]*yaml.Node // path → the key of the highest layer that has it
	maps   map[string]*yaml.Node // path → the map of the highest layer that has it
	docs   map[*yaml.Node]*frontmatter.Document
	vars   variables
	ds     diag.List
}

func newStack(pairs []string) *stack {
	return &stack{
		keys: map[string]*yaml.Node{}, maps: map[string]*yaml.Node{}, docs: map[*yaml.Node]*frontmatter.Document{},
		vars: newVariables(pairs),
	}
}

// file adds a settings file. Values that are an error are reported and left out, so that they cannot hide what lies below.
func (s *stack) file(name string, src Source) {
	if src.Data == nil {
		return
	}
	doc, ds := frontmatter.ParseYAML(src.Data, src.File)
	s.ds.Add(ds...)
	if doc.Root == nil {
		return
	}
	s.vars.doc, s.vars.ds = doc, nil
	s.vars.expand(doc.Root)
	s.ds.Add(s.vars.ds...)
	s.check(doc, doc.Root)
	s.note(doc.Root, doc)
	for _, keys := range s.vars.lost {
		for _, k := range keys {
			if s.docs[k.node] == nil {
				s.docs[k.node] = doc
			}
		}
	}
	s.load(name, tree{s.numbers(name, "", doc.Root)})
}

// check decodes a mapping for its findings; false: there is an error among them.
func (s *stack) check(doc *frontmatter.Document, root *yaml.Node) bool {
	d := s.decoder(doc)
	var throwaway Settings
	decode(d, root, settingsTable.Get(), &throwaway)
	s.ds.Add(d.ds...)
	return !d.ds.HasErrors()
}

func (s *stack) decoder(doc *frontmatter.Document) *decoder {
	return &decoder{
		doc: doc, known: knownKeys.Get(), strict: true, docs: s.docs,
		from: s.vars.from, source: s.vars.written, absent: s.vars.absent, gone: s.vars.lost,
	}
}

// note remembers which file the nodes of a layer are of.
func (s *stack) note(n *yaml.Node, doc *frontmatter.Document) {
	s.docs[n] = doc
	for _, c := range n.Content {
		s.note(c, doc)
	}
}

// numbers is a mapping as koanf takes it: maps of maps, with the numbers of leaves at their ends.
func (s *stack) numbers(layer, path string, n *yaml.Node) map[string]any {
	s.maps[path] = n
	out := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if isNull(v) {
			continue
		}
		if s.wrong(v) {
			s.vars.lost.add(n, k, k.Value)
			continue
		}
		at := join(path, k.Value)
		s.keys[at] = k
		if v.Kind == yaml.MappingNode {
			out[k.Value] = s.numbers(layer, at, v)
			continue
		}
		out[k.Value] = s.leaf(layer, v)
	}
	return out
}

// wrong tells whether a value, and not a part of it, is an error.
func (s *stack) wrong(n *yaml.Node) bool {
	at := s.docs[n].Range(n)
	return slices.ContainsFunc(s.ds, func(x diag.Diagnostic) bool {
		return x.Severity == diag.Error && x.Range == at && (n.Kind != yaml.MappingNode || x.Code == "E-VALUE-TYPE")
	})
}

func (s *stack) leaf(layer string, n *yaml.Node) int {
	s.leaves = append(s.leaves, leaf{layer, n})
	return len(s.leaves) - 1
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + delimiter + key
}

// tree is a provider of koanf for what has been parsed already.
type tree struct{ m map[string]any }

func (t tree) Read() (map[string]any, error) { return t.m, nil }
func (t tree) ReadBytes() ([]byte, error)    { return nil, nil }

func (s *stack) load(name string, p koanf.Provider) {
	k := koanf.New(delimiter)
	if err := k.Load(p, nil); err != nil {
		s.ds.Add(diag.New("E-VALUE-TYPE", diag.Range{}, "the %s settings cannot be merged: %v", name, err))
		return
	}
	s.layers = append(s.layers, layer{name, k})
}

// environment adds the variables whose path begins with a known key.
func (s *stack) environment(pairs []string) {
	s.load("env", env.Provider(delimiter, env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return slices.Sorted(slices.Values(pairs)) },
		TransformFunc: func(name, value string) (string, any) {
			path := strings.Split(strings.ToLower(strings.TrimPrefix(name, envPrefix)), "__")
			if settingsTable.Get().find(path[0]) == nil {
				return "", nil
			}
			return s.single("env", "$"+name, path, value)
		},
	}))
}

// flags adds values of the command line.
func (s *stack) flags(values map[string]string) {
	m := map[string]any{}
	for path, value := range values {
		steps := strings.Split(path, delimiter)
		if at, n := s.single("flag", "flag "+strings.Join(steps, "."), steps, value); at != "" {
			place(m, steps, n)
		}
	}
	s.load("flag", tree{m})
}

func place(m map[string]any, path []string, v any) {
	for _, step := range path[:len(path)-1] {
		next, ok := m[step].(map[string]any)
		if !ok {
			next = map[string]any{}
			m[step] = next
		}
		m = next
	}
	m[path[len(path)-1]] = v
}

// single checks one value that has a path and no file. The empty path: it is not used.
func (s *stack) single(layer, source string, path []string, value string) (string, any) {
	value, ok := deadlineOf(layer, path, value)
	if !ok {
		return "", nil
	}
	doc := &frontmatter.Document{File: source}
	v := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	root, keys := v, make([]*yaml.Node, len(path))
	for i, step := range slices.Backward(path) {
		keys[i] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: step}
		root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{keys[i], root}}
	}
	if isNull(v) || !s.check(doc, root) {
		return "", nil
	}
	s.note(root, doc)
	for i, k := range keys {
		s.keys[strings.Join(path[:i+1], delimiter)] = k
	}
	return strings.Join(path, delimiter), s.leaf(layer, v)
}

// merged is the layers as one mapping, with the nodes that won.
func (s *stack) merged() (*yaml.Node, *koanf.Koanf) {
	all := koanf.New(delimiter)
	for _, l := range s.layers {
		if err := all.Merge(l.values); err != nil {
			s.ds.Add(diag.New("E-VALUE-TYPE", diag.Range{}, "the %s settings cannot be merged: %v", l.name, err))
		}
	}
	return s.mapping("", all.Raw()), all
}

func (s *stack) mapping(path string, m map[string]any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if at := s.maps[path]; at != nil {
		n.Line, n.Column = at.Line, at.Column
		s.docs[n] = s.docs[at]
		s.vars.absent[n], s.vars.lost[n] = s.vars.absent[at], s.vars.lost[at]
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		at := join(path, name)
		k := s.keys[at]
		switch v := m[name].(type) {
		case map[string]any:
			n.Content = append(n.Content, k, s.mapping(at, v))
		case int:
			n.Content = append(n.Content, k, s.leaves[v].node)
		}
	}
	return n
}
