package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/tools"
)

// keptFile is where the answers "always" are kept, below the workspace's root. A person may edit it; agents may not.
const keptFile = stateFolder + "/permissions.yaml"

const stateFolder = ".swarmrun"

// keptHead begins a new file.
const keptHead = `# Rules that you gave by answering "always". Calls that a rule of allow names are not asked about again, whatever
# ask rules say; deny rules still refuse. Edit or delete lines as you like: the next run reads them.
allow:
`

// keptRules reads the file of answers. It counts only where nobody else can have written it: a copy that came with a
// repository, or that others may write, is told and left alone.
func keptRules(root string) (config.Permissions, diag.List) {
	path := filepath.Join(root, keptFile)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return config.Permissions{}, nil
	}
	var data []byte
	if err == nil {
		data, err = readFile(path)
	}
	at := diag.At(keptFile, 1, 1, 0)
	switch {
	case err != nil:
		return config.Permissions{}, diag.List{diag.New("E-FILE-READ", at, "%s", readFault(err))}
	case !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return config.Permissions{}, diag.List{diag.New("W-PERMISSIONS-OPEN", at, "%s is open to others (%s), so its rules do not count", keptFile, info.Mode()).
			Suggest("if its rules are yours, run `chmod 600 %s`; else delete it", keptFile)}
	}
	return config.ReadPermissions(data, keptFile)
}

// KeepRule adds a rule to the answers "always" of a workspace. The file is written whole or not at all; one that cannot be
// read, or that has its rules in another form, is left as it is.
func KeepRule(root, rule, comment string) error {
	if _, err := tools.ParseRule(rule, tools.Native, diag.Range{}); err != nil {
		return err
	}
	dir := filepath.Join(root, stateFolder)
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no folder", dir)
	}
	before, ds := keptRules(root)
	if len(ds) > 0 {
		return &diag.ListError{List: ds}
	}
	if slices.ContainsFunc(before.Allow, func(r config.Ref) bool { return r.V == rule }) {
		return nil
	}
	path := filepath.Join(root, keptFile)
	old, err := readFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := withRule(string(old), rule, comment)
	after, ds := config.ReadPermissions([]byte(text), keptFile)
	if ds.HasErrors() || len(after.Allow) != len(before.Allow)+1 {
		return fmt.Errorf("%s has its rules in a form that cannot be added to; add %q below allow: yourself", keptFile, rule)
	}
	return replaceFile(path, []byte(text))
}

// withRule puts a rule first in the list of allow.
func withRule(text, rule, comment string) string {
	line := "  - '" + strings.ReplaceAll(rule, "'", "''") + "'"
	if comment = strings.Join(strings.Fields(comment), " "); comment != "" {
		line += " # " + comment
	}
	if strings.TrimSpace(text) == "" {
		return keptHead + line + "\n"
	}
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if strings.TrimRight(l, " \r\n") == "allow:" {
			return strings.Join(slices.Insert(lines, i+1, line+"\n"), "")
		}
	}
	return strings.TrimRight(text, "\n") + "\nallow:\n" + line + "\n"
}

// replaceFile writes a file that only its owner may read, in one step.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".permissions-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
