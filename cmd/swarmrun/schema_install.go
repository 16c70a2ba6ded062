package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/loader"
)

// editorDir is where VS Code, and editors that read its settings, keep those of a folder.
const editorDir = ".vscode"

type installAnswer struct {
	OK    bool     `json:"ok"`
	Files []string `json:"files"`
	Add   any      `json:"add,omitempty"` // to settings that are there already, which are left alone
}

// installSchemas writes the schemas of the YAML kinds beside the editor's settings, and settings that name them.
func (a *app) installSchemas() error {
	if err := a.checkDir(); err != nil {
		return err
	}
	root, err := loader.Root(a.dir)
	if err != nil {
		return err
	}
	v := installAnswer{OK: true}
	put := func(name string, data []byte) error {
		v.Files = append(v.Files, name)
		file := filepath.Join(root, filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), wholefile.Replace(file, 0o644, data))
	}
	patterns := map[string][]string{}
	for _, kind := range config.Described() {
		globs := yamlFiles(kind)
		if globs == nil {
			continue
		}
		schema, _ := config.JSONSchema(kind)
		name := path.Join(editorDir, "swarmrun", string(kind)+".schema.json")
		if err := put(name, schema); err != nil {
			return err
		}
		patterns["./"+name] = globs
	}
	settings := map[string]any{"yaml.schemas": patterns}
	name := path.Join(editorDir, "settings.json")
	switch _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); {
	case err == nil:
		v.Add = settings
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		data, err := json.MarshalIndent(settings, "", "  ")
		if err == nil {
			err = put(name, append(data, '\n'))
		}
		if err != nil {
			return err
		}
	}
	return a.answer(v)
}

// yamlFiles are the files of a kind whose whole text is YAML; none for kinds that are Markdown.
func yamlFiles(kind config.Kind) []string {
	switch kind {
	case config.KindSettings:
		return []string{loader.SettingsFile}
	case config.KindModel:
		return []string{"models/*.yaml", "models/*.yml"}
	case config.KindJob:
		return []string{"jobs/*.yaml", "jobs/*.yml"}
	}
	return nil
}

func (v installAnswer) text(w io.Writer) error {
	for _, f := range v.Files {
		fmt.Fprintln(w, "wrote", f)
	}
	if v.Add == nil {
		return nil
	}
	data, err := json.MarshalIndent(v.Add, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s/settings.json is there already and stays as it is; add to it:\n\n%s\n", editorDir, data)
	return err
}
