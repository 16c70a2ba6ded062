package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/swarmrun/swarmrun/providers"
)

// Bounds of what goes with a prompt, in bytes.
const (
	maxPrompt     = 4 << 20
	maxAttachment = 20 << 20
)

// prompt is what the person says: text, and images that go with it.
type prompt struct {
	text  string
	blobs []providers.Blob
}

// prompt joins its sources with blank lines: arguments, --input, stdin when it is no terminal, text files of --attach.
func (a *app) prompt(f runFlags, words []string) (prompt, error) {
	var p prompt
	parts := []string{strings.Join(words, " ")}
	if f.input != "" && f.input != "-" {
		data, err := a.readFile(f.input, maxPrompt)
		if err != nil {
			return p, err
		}
		parts = append(parts, string(data))
	}
	if f.input == "-" || !terminal(a.stdin) {
		data, err := readAll(a.stdin, maxPrompt)
		if err != nil {
			return p, fmt.Errorf("read the prompt from stdin: %w", err)
		}
		parts = append(parts, string(data))
	}
	for _, name := range f.attach {
		text, blob, err := a.attachment(name)
		if err != nil {
			return p, err
		}
		if blob != nil {
			p.blobs = append(p.blobs, *blob)
		} else {
			parts = append(parts, text)
		}
	}
	var full []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			full = append(full, part)
		}
	}
	p.text = strings.Join(full, "\n\n")
	if !utf8.ValidString(p.text) {
		return p, usagef("the prompt is not UTF-8 text").hint("use --attach for images")
	}
	return p, nil
}

// attachment is an image as it is, or a text file under its name.
func (a *app) attachment(name string) (string, *providers.Blob, error) {
	data, err := a.readFile(name, maxAttachment)
	if err != nil {
		return "", nil, err
	}
	media := mediaType(name, data)
	if strings.HasPrefix(media, "image/") {
		return "", &providers.Blob{MediaType: media, Data: data}, nil
	}
	if !utf8.Valid(data) {
		return "", nil, usagef("--attach %s: %s cannot be attached", name, media).hint("images and UTF-8 text can")
	}
	return fmt.Sprintf("<file name=%q>\n%s\n</file>", filepath.Base(name), strings.TrimRight(string(data), "\n")), nil, nil
}

func mediaType(name string, data []byte) string {
	if t, _, err := mime.ParseMediaType(http.DetectContentType(data)); err == nil && t != "application/octet-stream" {
		return t
	}
	t, _, _ := strings.Cut(mime.TypeByExtension(filepath.Ext(name)), ";")
	return t
}

// path resolves a path of the command line: from -C when that is given, else from the current folder.
func (a *app) path(name string) string {
	if a.dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}

// exists refuses a path of the command line where nothing is.
func (a *app) exists(name string) error {
	_, err := os.Stat(a.path(name))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	way := "paths start in the current folder"
	if a.dir != "" {
		way = "paths start in the folder of -C, " + a.dir
	}
	return usagef("there is no file %s", name).hint("%s", way)
}

func (a *app) readFile(name string, limit int64) ([]byte, error) {
	if err := a.exists(name); err != nil {
		return nil, err
	}
	f, err := os.Open(a.path(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(f, limit)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}

func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("more than %d MiB", limit>>20)
	}
	return data, err
}
