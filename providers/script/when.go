package script

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// check is one condition: "" when it holds, else why not, in words that quote the rule but never the conversation.
// A pattern that matches puts its named groups into match.
type check func(c *conversation, match map[string]string) (fault string)

// parseWhen compiles the conditions of w in the order in which they are told when they fail.
func parseWhen(w When) ([]check, error) {
	var checks []check
	var errs []error
	add := func(set bool, key string, f func() (check, error)) {
		if !set {
			return
		}
		ck, err := f()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
			return
		}
		checks = append(checks, ck)
	}
	add(w.Agent != "", "agent", func() (check, error) { return agentIs(w.Agent), nil })
	add(w.Model != "", "model", func() (check, error) { return modelIs(w.Model), nil })
	add(w.Turn != "", "turn", func() (check, error) { return turnIn(w.Turn) })
	add(w.Offered != "", "offered", func() (check, error) { return offers(w.Offered), nil })
	add(w.Tool != "", "tool", func() (check, error) { return hasResult(w.Tool), nil })
	add(w.ToolError != nil, "tool_error", func() (check, error) { return hasError(*w.ToolError), nil })
	add(w.ToolResult != "", "tool_result_matches", func() (check, error) { return resultMatches(w.ToolResult) })
	add(w.Prompt != "", "prompt_matches", func() (check, error) {
		return textMatches("prompt_matches", "the last user message", w.Prompt, func(c *conversation) string { return c.Prompt })
	})
	add(w.System != "", "system_matches", func() (check, error) {
		return textMatches("system_matches", "the system text", w.System, func(c *conversation) string { return c.System })
	})
	add(w.Not != nil, "not", func() (check, error) { return negated(*w.Not) })
	return checks, errors.Join(errs...)
}

func agentIs(want string) check {
	return func(c *conversation, _ map[string]string) string {
		if c.Agent == want {
			return ""
		}
		return fmt.Sprintf("agent is %q, not %q", c.Agent, want)
	}
}

func modelIs(want string) check {
	return func(c *conversation, _ map[string]string) string {
		if c.model == want || c.model == prefix+want {
			return ""
		}
		return fmt.Sprintf("model is %q, not %q", c.model, want)
	}
}

var turnForm = lazy.MustCompile(`^\s*(>=|<=|>|<|)\s*(\d+)\s*(?:\.\.\s*(\d+)\s*)?$`)

func turnIn(form string) (check, error) {
	m := turnForm.Get().FindStringSubmatch(form)
	if m == nil || m[3] != "" && m[1] != "" {
		return nil, fmt.Errorf("%q is no turn: want a number, %q or %q", form, ">=3", "2..4")
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return nil, err
	}
	low, high := n, n
	switch m[1] {
	case ">=":
		high = math.MaxInt
	case ">":
		low, high = n+1, math.MaxInt
	case "<=":
		low = 0
	case "<":
		low, high = 0, n-1
	}
	if m[3] != "" {
		if high, err = strconv.Atoi(m[3]); err != nil {
			return nil, err
		}
	}
	if low > high {
		return nil, fmt.Errorf("no turn is in %q", form)
	}
	return func(c *conversation, _ map[string]string) string {
		if low <= c.Turn && c.Turn <= high {
			return ""
		}
		return fmt.Sprintf("turn is %d, not %s", c.Turn, strings.TrimSpace(form))
	}, nil
}

func offers(tool string) check {
	return func(c *conversation, _ map[string]string) string {
		if slices.Contains(c.offered, tool) {
			return ""
		}
		return fmt.Sprintf("tool %s is not offered", tool)
	}
}

func hasResult(tool string) check {
	return func(c *conversation, _ map[string]string) string {
		for _, r := range c.Results {
			if r.Tool == tool {
				return ""
			}
		}
		return fmt.Sprintf("no result of %s since the last answer", tool)
	}
}

func hasError(want bool) check {
	return func(c *conversation, _ map[string]string) string {
		switch got := slices.ContainsFunc(c.Results, func(r result) bool { return r.IsError }); {
		case got == want:
			return ""
		case got:
			return "a tool result is an error"
		default:
			return "no tool result is an error"
		}
	}
}

func resultMatches(pattern string) (check, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return func(c *conversation, match map[string]string) string {
		for _, r := range c.Results {
			if matches(re, r.Text, match) {
				return ""
			}
		}
		return fmt.Sprintf("tool_result_matches %q fits none of %d results since the last answer", pattern, len(c.Results))
	}, nil
}

func textMatches(key, what, pattern string, of func(*conversation) string) (check, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return func(c *conversation, match map[string]string) string {
		if matches(re, of(c), match) {
			return ""
		}
		return fmt.Sprintf("%s %q does not fit %s", key, pattern, what)
	}, nil
}

func matches(re *regexp.Regexp, s string, match map[string]string) bool {
	at := re.FindStringSubmatchIndex(s)
	if at == nil {
		return false
	}
	for i, name := range re.SubexpNames() {
		if name == "" {
			continue
		}
		value := ""
		if at[2*i] >= 0 {
			value = s[at[2*i]:at[2*i+1]]
		}
		match[name] = value
	}
	return true
}

// negated holds when one of w's conditions does not; groups that match inside it are nobody's.
func negated(w When) (check, error) {
	checks, err := parseWhen(w)
	if err != nil {
		return nil, err
	}
	return func(c *conversation, _ map[string]string) string {
		if fault(checks, c, map[string]string{}) != "" {
			return ""
		}
		return "all conditions of not hold"
	}, nil
}

// fault is the first condition that fails, "" when all hold.
func fault(checks []check, c *conversation, match map[string]string) string {
	for _, ck := range checks {
		if why := ck(c, match); why != "" {
			return why
		}
	}
	return ""
}
