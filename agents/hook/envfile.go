package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// maxEnvFile is how much of a file of variables is read, in bytes.
const maxEnvFile = 64 << 10

// envFile is the file that a hook of SessionStart writes variables of commands into, as CLAUDE_ENV_FILE.
type envFile struct{ dir string }

// newEnvFile makes the file in a folder of its own, which the child may write.
func newEnvFile(a *sandbox.Access) (*envFile, error) {
	dir, err := os.MkdirTemp("", "swarmrun-env-")
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	e := &envFile{dir}
	a.Write = append(a.Write[:len(a.Write):len(a.Write)], dir)
	if err := os.WriteFile(e.path(), nil, 0o600); err != nil {
		e.remove()
		return nil, err
	}
	return e, nil
}

func (e *envFile) path() string { return filepath.Join(e.dir, "env.sh") }

func (e *envFile) remove() { _ = os.RemoveAll(e.dir) }

// envLine is NAME=value with export before it or not.
var envLine = lazy.MustCompile(`^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$`)

// read are the variables of the file. It is no script here: lines that are no assignments of plain values are told.
func (e *envFile) read(known func(name string) string) (env, notices []string) {
	info, err := os.Lstat(e.path())
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxEnvFile {
		return nil, []string{"CLAUDE_ENV_FILE is not read: it is no plain file of at most 64 KiB"}
	}
	data, err := os.ReadFile(e.path())
	if err != nil {
		return nil, []string{"CLAUDE_ENV_FILE is not read: " + err.Error()}
	}
	own := map[string]string{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		m := envLine.Get().FindStringSubmatch(line)
		value, ok := "", false
		if m != nil {
			value, ok = plainValue(m[2], func(name string) string {
				if v, set := own[name]; set {
					return v
				}
				return known(name)
			})
		}
		if !ok {
			notices = append(notices, fmt.Sprintf("a line of CLAUDE_ENV_FILE is left out, since it is no NAME=value: %.80s", line))
			continue
		}
		own[m[1]] = value
		env = append(env, m[1]+"="+value)
	}
	return env, notices
}

// plainValue is what a shell would make of a value that runs nothing; false where it would do more.
func plainValue(text string, known func(string) string) (string, bool) {
	quote := byte(0)
	if len(text) >= 2 && (text[0] == '\'' || text[0] == '"') && text[len(text)-1] == text[0] {
		quote, text = text[0], text[1:len(text)-1]
	}
	bad := "'\"`\\;&|<>() \t"
	switch quote {
	case '\'':
		return text, !strings.Contains(text, "'")
	case '"':
		bad = "\"`\\"
	}
	if strings.ContainsAny(text, bad) {
		return "", false
	}
	out := variable.Get().ReplaceAllStringFunc(text, func(ref string) string { return known(strings.Trim(ref, "${}")) })
	return out, !strings.Contains(variable.Get().ReplaceAllString(text, ""), "$")
}
