package frontmatter

import (
	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Type is the type of a JSON value, in words for a person.
type Type string

// The types.
const (
	Object  Type = "an object"
	Array   Type = "a list"
	Text    Type = "text"
	Number  Type = "a number"
	Boolean Type = "true or false"
	Null    Type = "null"
)

// Value is a JSON value with its place.
type Value struct {
	Type    Type
	At      diag.Range
	Text    string // of a scalar
	Members []Member
	Items   []*Value
}

// Member is one key of an object with the place of the key.
type Member struct {
	Key   string
	At    diag.Range
	Value *Value
}

// JSONValue is ParseJSON for readers that want values and not nodes. The root may be of any type; nil = it cannot be read.
func JSONValue(src []byte, file string) (*Value, diag.List) {
	d, root, ds := parseJSON(src, file)
	if root == nil {
		return nil, ds
	}
	return d.value(root), nil
}

// value makes a value of a node that parseJSON made.
func (d *Document) value(n *yaml.Node) *Value {
	v := &Value{At: d.Range(n), Text: n.Value}
	switch n.Tag {
	case "!!map":
		v.Type = Object
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			v.Members = append(v.Members, Member{Key: k.Value, At: d.Range(k), Value: d.value(n.Content[i+1])})
		}
	case "!!seq":
		v.Type = Array
		for _, item := range n.Content {
			v.Items = append(v.Items, d.value(item))
		}
	case "!!str":
		v.Type = Text
	case "!!bool":
		v.Type = Boolean
	case "!!null":
		v.Type, v.Text = Null, ""
	default:
		v.Type = Number
	}
	return v
}
