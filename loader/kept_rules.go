package loader

import (
	"crypto/rand"
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
	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/tools"
)

// keptFile is where the answers "always" are kept, below the workspace's root. A person may edit it; agents may not.
const keptFile = stateFolder + "/permissions.yaml"

const stateFolder = ".swarmrun"

// keptHead begins a new file.
const keptHead = `# Rules that you gave by answering "always". Calls that a rule of allow names are not asked about again, whatever
# ask rules say; deny rules still refuse. Edit or delete lines as you like: the next run goes by them.
allow:
`

// keptRules reads the file of answers with read, which is lstatFile or notes what that gives. What it allows counts only where its first line holds the word that was noted in the
// person's own folder when they first answered "always" in this workspace, and where others cannot read it: a file that came with a
// repository, or that lies where another one lay, is told, and only what it refuses and asks counts.
func keptRules(root, userDir string, read func(path string) ([]byte, error)) (config.Permissions, diag.List) {
	data, err := read(filepath.Join(root, keptFile))
	at := diag.At(keptFile, 1, 1, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return config.Permissions{}, nil
	case errors.Is(err, errOpen):
		p, ds := config.ReadPermissions(data, keptFile)
		p.Allow = nil
		ds.Add(diag.New("W-PERMISSIONS-OPEN", at, "%s is open to others, so what it allows does not count", keptFile).
			Suggest("if its rules are yours, run `chmod 600 %s`; else delete it", keptFile))
		return p, ds
	case err != nil:
		return config.Permissions{}, diag.List{config.Unreadable(at, "the file", err)}
	}
	p, ds := config.ReadPermissions(data, keptFile)
	if word, noted := consent(root, userDir, read); len(p.Allow) == 0 || noted == nil && strings.HasPrefix(string(data), consentLine(word)) {
		return p, ds
	}
	p.Allow = nil
	ds.Add(diag.New("W-PERMISSIONS-OPEN", at, "nobody answered \"always\" in this folder to make %s, so what it allows does not count", keptFile).
		Explain("A file that comes with a repository must not speak for you. What it refuses and asks about counts.").
		Suggest("write rules of your own under permissions: in %s, or delete the file and answer anew", SettingsFile))
	return p, ds
}

// errOpen is the error of a file that others may read or write.
var errOpen = errors.New("it is open to others")

// lstatFile reads a file that is none by a link, whether or not others may read it.
func lstatFile(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, wholefile.ErrIrregular
	}
	data, err := readFile(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		err = errOpen
	}
	return data, err
}

// consentLine is the first line of a file of answers.
func consentLine(word string) string { return "# consent " + word + "\n" }

// consentFile is where the word of a workspace is noted: in the person's folder, by the workspace's real path.
func consentFile(root, userDir string) string {
	return filepath.Join(userDir, ".consent", fingerprint([]string{filepath.Clean(root)}))
}

// consent is the word that was noted for a workspace.
func consent(root, userDir string, read func(path string) ([]byte, error)) (string, error) {
	if userDir == "" {
		return "", errors.New("there is no home folder to note it in")
	}
	data, err := read(consentFile(root, userDir))
	if err != nil {
		return "", err
	}
	word, _, _ := strings.Cut(string(data), "\n")
	if len(word) < 20 {
		return "", errors.New("the note is damaged")
	}
	return word, nil
}

// giveConsent notes a word for a workspace; one that is noted already stays.
func giveConsent(root, userDir string) (string, error) {
	word, err := consent(root, userDir, lstatFile)
	if err == nil || userDir == "" || !errors.Is(err, fs.ErrNotExist) {
		return word, err
	}
	word = rand.Text()
	return word, wholefile.ReplacePrivate(consentFile(root, userDir), []byte(word+"\n"+root+"\n"))
}

// KeepRule adds a rule to the answers "always" of a workspace. The file is written whole or not at all; one that cannot be
// read, or that has its rules in another form, is left as it is; wrote tells that the rule was not there yet. userDir is the
// person's folder as in Options.
func KeepRule(root, userDir, rule, comment string) (wrote bool, err error) {
	if _, err := tools.ParseRule(rule, tools.Native, diag.Range{}); err != nil {
		return false, err
	}
	dir := filepath.Join(root, stateFolder)
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return false, fmt.Errorf("%s is no folder", dir)
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	userDir = personalFolder(userDir, os.Getenv("HOME"))
	before, ds := keptRules(root, userDir, lstatFile)
	if len(ds) > 0 {
		return false, &diag.ListError{List: ds}
	}
	if slices.ContainsFunc(before.Allow, func(r config.Ref) bool { return r.V == rule }) {
		return false, nil
	}
	path := filepath.Join(root, keptFile)
	old, err := readFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	word, err := giveConsent(root, userDir)
	if err != nil {
		return false, fmt.Errorf("your consent cannot be noted: %w", err)
	}
	text := withRule(strings.TrimPrefix(string(old), consentLine(word)), rule, comment)
	text = consentLine(word) + text
	after, ds := config.ReadPermissions([]byte(text), keptFile)
	if ds.HasErrors() || len(after.Allow) != len(before.Allow)+1 {
		return false, fmt.Errorf("%s has its rules in a form that cannot be added to; add %q below allow: yourself", keptFile, rule)
	}
	err = wholefile.ReplacePrivate(path, []byte(text))
	return err == nil, err
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
