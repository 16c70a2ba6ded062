package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/runner/event"
)

// prompt is the system text: the agent's own, and the instruction files where it takes them. The files are read once for a
// conversation, so that what a model has cached stays true.
func (x *exchange) prompt(ctx context.Context) (string, error) {
	text, err := x.body()
	if err != nil {
		return "", err
	}
	if x.agent.Notes != "" {
		text = strings.TrimSpace(text + "\n\n" + x.agent.Notes)
	}
	part, err := x.skillPrompt(ctx)
	if err != nil {
		return "", err
	}
	if part != "" {
		text = strings.TrimSpace(text + "\n\n" + part)
	}
	if !x.agent.Instructed {
		return text, nil
	}
	if x.conv.Instructions == nil {
		found := instructions(x.offered.roots, x.run.r.o.Home, x.agent.Excluded)
		for _, w := range found.warnings {
			x.say(&event.Warning{Code: "instructions", Message: w})
		}
		found.text = strings.TrimSpace(found.text + "\n\n" + always(x.agent.Guides))
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
		if k, v, ok := strings.Cut(kv, "="); ok && !secretive(k) && x.redact(v) == v {
			env[k] = v
		}
	}
	b := bounded{left: maxPrompt}
	err := x.agent.Template.Execute(&b, struct {
		Vars, Env       map[string]string
		Date, Directory string
	}{vars, env, x.run.r.o.Now().Format("2006-01-02"), x.offered.roots.Dir})
	if err != nil {
		return "", fmt.Errorf("the prompt of agent %s: %w", x.agent.Name, err)
	}
	return b.String(), nil
}

// secretNames are parts of the names of variables that hold secrets.
var secretNames = [...]string{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "COOKIE", "PRIVATE", "DATABASE_URL", "DSN", "CONNECTION_STRING"}

// secretive tells whether a variable is kept from prompts, which go to whoever runs the model.
func secretive(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(secretNames[:], func(part string) bool { return strings.Contains(name, part) })
}

// maxPrompt is the longest text that a template may make, in bytes.
const maxPrompt = 4 << 20

// bounded is a text that does not grow beyond a size: a few characters of a template can make any amount.
type bounded struct {
	strings.Builder
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, fmt.Errorf("it is longer than %d MiB", maxPrompt>>20)
	}
	return b.Builder.Write(p)
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
