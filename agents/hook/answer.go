package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// reply is the JSON of a hook: that of this program, and that of Claude Code.
type reply struct {
	Decision *string         `json:"decision"`
	Message  string          `json:"message"`
	Value    json.RawMessage `json:"value"`
	Input    json.RawMessage `json:"input"`

	Continue      *bool     `json:"continue"`
	StopReason    string    `json:"stopReason"`
	SystemMessage string    `json:"systemMessage"`
	Reason        string    `json:"reason"`
	Context       string    `json:"additionalContext"`
	Permission    string    `json:"permissionDecision"` // of other programs, without the object around it
	Specific      *specific `json:"hookSpecificOutput"`

	PermissionReason string `json:"permissionDecisionReason"`
}

// specific is Claude Code's hookSpecificOutput.
type specific struct {
	Permission string          `json:"permissionDecision"`
	Reason     string          `json:"permissionDecisionReason"`
	Input      json.RawMessage `json:"updatedInput"`
	Context    string          `json:"additionalContext"`
	Initial    string          `json:"initialUserMessage"`
	Output     json.RawMessage `json:"updatedToolOutput"`
	Decision   *struct {
		Behavior  string          `json:"behavior"`
		Message   string          `json:"message"`
		Input     json.RawMessage `json:"updatedInput"`
		Rules     json.RawMessage `json:"updatedPermissions"`
		Interrupt bool            `json:"interrupt"`
	} `json:"decision"`

	Title  json.RawMessage `json:"sessionTitle"`
	Paths  json.RawMessage `json:"watchPaths"`
	Skills json.RawMessage `json:"reloadSkills"`
}

// inert are the keys that are understood and that this version does not act on.
func (s *specific) inert() (names []string) {
	heard := map[string]json.RawMessage{"sessionTitle": s.Title, "watchPaths": s.Paths, "reloadSkills": s.Skills}
	if s.Decision != nil {
		heard["updatedPermissions"] = s.Decision.Rules
	}
	for _, name := range slices.Sorted(maps.Keys(heard)) {
		if len(given(heard[name])) > 0 {
			names = append(names, name)
		}
	}
	return names
}

// read turns what a hook wrote into its result. Text that does not begin with { is context where the event takes some.
func read(in *Input, stdout string) (Result, error) {
	text := spoken(stdout)
	if !isObject(text) {
		switch {
		case text != "" && in.Event.speaks():
			return Result{Context: []string{text}}, nil
		case answers(text):
			return Result{}, badJSON(text, "text stands before the JSON object")
		}
		return Result{}, nil
	}
	var r reply
	dec := json.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&r); err != nil {
		return Result{}, badJSON(text, "it is no JSON of the expected shape")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Result{}, badJSON(text, "something follows the JSON object")
	}
	if key := twice(text); key != "" {
		return Result{}, badJSON(text, fmt.Sprintf("it says %q twice", key))
	}
	return r.result(in, text)
}

// level is an object that is being read, or a list.
type level struct {
	seen  map[string]bool // its keys so far; nil = a list
	named bool            // its keys are those of reply, which are the same in any case
	last  string          // of its keys
}

// holds tells whether the value of the last key is an object of reply as well.
func (l *level) holds(depth int) bool {
	return l.named && (depth == 1 && l.last == "hookspecificoutput" || depth == 2 && l.last == "decision")
}

// twice is a key that an object of the text has two times, "" = none: which of them counts, readers do not agree on.
func twice(text string) string {
	dec := json.NewDecoder(strings.NewReader(text))
	var open []*level // around the token
	key := false      // a key comes next
	for {
		token, err := dec.Token()
		if err != nil {
			return ""
		}
		depth := len(open)
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{':
				open = append(open, &level{seen: map[string]bool{}, named: depth == 0 || open[depth-1].holds(depth)})
			case '[':
				open = append(open, &level{})
			default:
				open = open[:depth-1]
			}
		case string:
			if key {
				in, name := open[depth-1], t
				if in.named {
					name = strings.ToLower(strings.ToUpper(t)) // as the decoder folds them
				}
				if in.seen[name] {
					return t
				}
				in.seen[name], in.last = true, name
				key = false
				continue
			}
		}
		key = len(open) > 0 && open[len(open)-1].seen != nil
	}
}

// spoken is what a hook wrote without blanks around it, and without the mark that some shells begin with.
func spoken(stdout string) string { return strings.TrimSpace(strings.TrimPrefix(stdout, "\uFEFF")) }

// isObject tells whether what a hook wrote is to be read as JSON.
func isObject(stdout string) bool { return strings.HasPrefix(spoken(stdout), "{") }

// answers tells whether a line of a text begins an object that decides: whoever writes one means it to be read. So it is
// with more objects than can be looked at.
func answers(text string) bool {
	left := 1000
	for rest, more := text, true; more; _, rest, more = strings.Cut(rest, "\n") {
		if !strings.HasPrefix(rest, "{") {
			continue
		}
		if left--; left < 0 {
			return true
		}
		var r reply
		if json.NewDecoder(strings.NewReader(rest)).Decode(&r) != nil {
			continue
		}
		if r.Decision != nil || r.Continue != nil || r.Permission != "" || r.Specific != nil {
			return true
		}
	}
	return false
}

func badJSON(text, why string) error {
	shown := text
	if len(shown) > 80 {
		shown = strings.ToValidUTF8(shown[:80], "") + "…"
	}
	return &Failure{"bad_json", fmt.Sprintf("%s: %s", why, shown)}
}

// decision is what the word of a top-level decision names; false: nothing.
func decision(word string) (Decision, bool) {
	switch word {
	case "continue":
		return Continue, true
	case "halt", "block", "deny":
		return Halt, true
	case "replace":
		return Replace, true
	case "ask", "defer":
		return Ask, true
	case "approve", "allow":
		return Allow, true
	case "finish_agent":
		return FinishAgent, true
	case "finish_run":
		return FinishRun, true
	}
	return Continue, false
}

// result settles what a reply means.
func (r *reply) result(in *Input, text string) (Result, error) {
	out := Result{Message: cmp.Or(r.Message, r.Reason), Value: plainText(r.Value), Input: given(r.Input)}
	out.add(r.Context)
	if r.SystemMessage != "" {
		out.Notices = append(out.Notices, r.SystemMessage)
	}
	if r.Decision != nil {
		d, ok := decision(*r.Decision)
		if !ok {
			return Result{}, badJSON(text, fmt.Sprintf("%q is no decision", *r.Decision))
		}
		out.Decision = d
	}
	if r.Permission != "" && r.Specific == nil {
		r.Specific = &specific{Permission: r.Permission, Reason: r.PermissionReason}
	}
	if s := r.Specific; s != nil {
		if err := out.specific(s, in, text); err != nil {
			return Result{}, err
		}
	}
	if in.Event == OnStop && out.Decision == Allow { // "approve": it may stop
		out.Decision = Continue
	}
	if r.Continue != nil && !*r.Continue {
		out.Decision, out.Message = End, cmp.Or(r.StopReason, out.Message)
	}
	if len(out.Input) > 0 && out.Input[0] != '{' {
		return Result{}, badJSON(text, "the new input is no object")
	}
	return out, nil
}

// specific takes what Claude Code's object says.
func (r *Result) specific(s *specific, in *Input, text string) error {
	r.add(s.Context)
	r.add(s.Initial)
	if len(given(s.Input)) > 0 {
		r.Input = s.Input
	}
	if s.Permission != "" {
		d, ok := map[string]Decision{"allow": Allow, "deny": Halt, "ask": Ask, "defer": Ask}[s.Permission]
		if !ok {
			return badJSON(text, fmt.Sprintf("%q is no permission decision", s.Permission))
		}
		r.Decision, r.Message = d, cmp.Or(s.Reason, r.Message)
	}
	if d := s.Decision; d != nil && in.Asks {
		switch {
		case d.Behavior == "deny" && d.Interrupt:
			r.Decision, r.Message = End, d.Message
		case d.Behavior == "deny":
			r.Decision, r.Message = Halt, d.Message
		case d.Behavior == "allow":
			r.Decision = Allow
		default:
			return badJSON(text, fmt.Sprintf("%q is no behavior", d.Behavior))
		}
		if len(given(d.Input)) > 0 {
			r.Input = d.Input
		}
	}
	if v := given(s.Output); len(v) > 0 && in.Event.made() {
		text := plainText(v)
		r.Output = &text
	}
	for _, name := range s.inert() {
		r.Notices = append(r.Notices, "a hook says "+name+", on which this version does not act")
	}
	return nil
}

func (r *Result) add(context string) {
	if strings.TrimSpace(context) != "" {
		r.Context = append(r.Context, context)
	}
}

// given is a value that is there and not null.
func given(raw json.RawMessage) json.RawMessage {
	if raw = bytes.TrimSpace(raw); bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

// plainText is a text as it is, any other value as JSON.
func plainText(raw json.RawMessage) string {
	var s string
	if len(given(raw)) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// exited is the result of a process that ended: exit 2 blocks whatever it wrote, JSON counts on every other code, and a code
// other than 0 without it is a failure.
func exited(in *Input, exit int, stdout, stderr string) (Result, error) {
	r, err := read(in, stdout)
	asking := in.as == "PermissionRequest" // where exit 2 has no meaning
	switch {
	case exit == 2 && !asking:
		out := Result{Decision: Halt, Message: cmp.Or(strings.TrimSpace(stderr), r.Message)}
		if err == nil {
			out.Context, out.Notices = r.Context, r.Notices
		}
		return out, nil
	case err != nil:
		return Result{}, err
	case exit == 0 || isObject(stdout):
		return r, nil
	case exit == 127 || exit == 126:
		return Result{}, &Failure{"spawn", fmt.Sprintf("exit code %d, so its program was not found or cannot run%s", exit, line(stderr))}
	}
	return Result{}, &Failure{"exit", fmt.Sprintf("exit code %d%s", exit, line(stderr))}
}

// line is the first line of what a process said, behind a colon.
func line(stderr string) string {
	text, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return ": " + text
}
