package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"

	"github.com/swarmrun/swarmrun/runner/event"
)

// prompt is the system text: the agent's own, and the instruction files where it takes them. The files are read once for a
// conversation, so that what a model has cached stays true.
func (x *exchange) prompt() (string, error) {
	text, err := x.body()
	if err != nil {
		return "", err
	}
	if !x.agent.Instructed {
		return text, nil
	}
	if x.conv.Instructions == nil {
		found := instructions(x.offered.roots, x.run.r.o.Home)
		for _, w := range found.warnings {
			x.say(&event.Warning{Code: "instructions", Message: w})
		}
		x.conv.Instructions = &found.text
	}
	return strings.TrimSpace(text + "\n\n" + *x.conv.Instructions), nil
}

// body is the agent's own text.
func (x *exchange) body() (string, error) {
	if x.agent.Template == nil {
		return x.agent.Prompt, nil
	}
	vars := maps.Clone(x.agent.Vars)
	if vars == nil {
		vars = map[string]string{}
	}
	maps.Copy(vars, x.run.req.Vars)
	env := map[string]string{}
	for _, kv := range x.run.r.o.Environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	var b strings.Builder
	err := x.agent.Template.Execute(&b, struct {
		Vars, Env       map[string]string
		Date, Directory string
	}{vars, env, x.run.r.o.Now().Format("2006-01-02"), x.offered.roots.Dir})
	if err != nil {
		return "", fmt.Errorf("the prompt of agent %s: %w", x.agent.Name, err)
	}
	return b.String(), nil
}

// digest names a text in events: the first 16 hex digits of its SHA-256.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// providerOf is the provider in a model's label; "" when the label names none.
func providerOf(label string) string {
	provider, _, ok := strings.Cut(label, "/")
	if !ok {
		return ""
	}
	return provider
}
