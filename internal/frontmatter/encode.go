package frontmatter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// flowWidth is how long a list or map may be, in characters, to stand in one line.
const flowWidth = 100

// EncodeYAML writes JSON as a YAML file that people can read and ParseYAML reads as the same JSON: keys in order, texts of
// several lines as blocks, short lists and maps in one line.
func EncodeYAML(value json.RawMessage) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	root, _, err := decodeNode(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value")
	}
	root.Style = 0
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decodeNode reads one JSON value. The width is that of its flow form, or more than flowWidth where it has none.
func decodeNode(dec *json.Decoder, depth int) (n *yaml.Node, width int, err error) {
	if depth > maxDepth {
		return nil, 0, fmt.Errorf("more than %d levels", maxDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, 0, err
	}
	switch tok := tok.(type) {
	case json.Delim:
		if tok == '{' {
			n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		} else {
			n = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		}
		for dec.More() {
			child, w, err := decodeNode(dec, depth+1)
			if err != nil {
				return nil, 0, err
			}
			n.Content = append(n.Content, child)
			width += w + len(", ")
		}
		if _, err := dec.Token(); err != nil {
			return nil, 0, err
		}
		if width <= flowWidth {
			n.Style = yaml.FlowStyle
		}
		return n, width + len("{}"), nil
	case string:
		return stringNode(tok)
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: numberTag(tok), Value: tok.String()}, len(tok), nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(tok)}, len("false"), nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, len("null"), nil
}

func numberTag(n json.Number) string {
	if strings.ContainsAny(n.String(), ".eE") {
		return "!!float"
	}
	return "!!int"
}

// stringNode picks the style: a block for lines, escapes for what a block or plain text would change on the way back.
func stringNode(s string) (*yaml.Node, int, error) {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	width := utf8.RuneCountInString(s) + 2
	switch {
	case isTime(s):
		n.Tag = "!!timestamp" // reads as the same text without quotes
	case s == "<<" || oldBool(s):
		n.Style = yaml.DoubleQuotedStyle
	case strings.ContainsAny(s, "\r\u0085\u2028\u2029\ufeff") || strings.ContainsFunc(s, isControl):
		n.Style = yaml.DoubleQuotedStyle
	case strings.Contains(s, "\n"):
		if n.Style = yaml.LiteralStyle; !blockSafe(s) {
			n.Style = yaml.DoubleQuotedStyle
		}
		width = flowWidth + 1
	}
	return n, width, nil
}

func isTime(s string) bool {
	t, err := time.Parse(time.RFC3339, s)
	return err == nil && t.Format(time.RFC3339) == s
}

// oldBool tells whether readers of YAML 1.1 take a plain text for a truth value.
func oldBool(s string) bool {
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off":
		return true
	}
	return false
}

func isControl(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == utf8.RuneError }

// blockSafe tells whether a literal block keeps a text: one that begins with a blank or an empty line needs an indentation
// indicator, which not every reader understands alike.
func blockSafe(s string) bool {
	return s[0] != ' ' && s[0] != '\n' && !strings.Contains(s, "\t\n") && !strings.Contains(s, " \n")
}
