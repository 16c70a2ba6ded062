package office

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// maxPart is the largest XML part that is read, in bytes after decompression; a zip bomb ends there.
const maxPart = 16 << 20

// Format reports whether ext, such as ".docx", in lower case, is an extension that Text knows.
func Format(ext string) bool { return ext == ".docx" || ext == ".xlsx" }

// Text returns what the file says. ext is its extension in lower case.
func Text(ext string, data []byte) (string, error) { return textOf(ext, data, maxPart) }

// archive is an office file and the largest size of a part in it.
type archive struct {
	*zip.Reader
	limit int64
}

func textOf(ext string, data []byte, limit int64) (string, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", fmt.Errorf("not a whole %s file: %w", ext, err)
	}
	switch ext {
	case ".docx":
		return document(archive{z, limit})
	case ".xlsx":
		return workbook(archive{z, limit})
	}
	return "", fmt.Errorf("%s files are not read", ext)
}

// part calls each for every token of the XML part name.
func (z archive) part(name string, each func(xml.Token) error) error {
	f, err := z.Open(path.Clean(name))
	if err != nil {
		return fmt.Errorf("part %s: %w", name, err)
	}
	defer f.Close()
	limited := &io.LimitedReader{R: f, N: z.limit}
	d := xml.NewDecoder(limited)
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if limited.N == 0 {
			return fmt.Errorf("part %s is larger than %d bytes", name, z.limit)
		}
		if err != nil {
			return fmt.Errorf("part %s: %w", name, err)
		}
		if err := each(t); err != nil {
			return err
		}
	}
}

func attr(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// document is the text of a docx: a line for each paragraph, cells of a table row joined by " | ".
func document(z archive) (string, error) {
	var out, para strings.Builder
	var rows [][]string // the open table rows, innermost last
	text := false
	flush := func() {
		line := strings.TrimRight(para.String(), " \t")
		para.Reset()
		if n := len(rows); n > 0 {
			if row := rows[n-1]; len(row) > 0 {
				row[len(row)-1] = strings.TrimSpace(row[len(row)-1] + " " + line)
			}
			return
		}
		out.WriteString(line + "\n")
	}
	err := z.part("word/document.xml", func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "t":
				text = true
			case "tab":
				para.WriteByte('\t')
			case "br", "cr":
				para.WriteByte('\n')
			case "pStyle":
				para.WriteString(heading(attr(t, "val")))
			case "numPr":
				para.WriteString("- ")
			case "tr":
				rows = append(rows, nil)
			case "tc":
				if n := len(rows); n > 0 {
					rows[n-1] = append(rows[n-1], "")
				}
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "t":
				text = false
			case "p":
				flush()
			case "tr":
				if n := len(rows); n > 0 {
					para.WriteString(strings.Join(rows[n-1], " | "))
					rows = rows[:n-1]
					flush()
				}
			}
		case xml.CharData:
			if text {
				para.Write(t)
			}
		}
		return nil
	})
	return out.String(), err
}

// heading is the Markdown mark of the paragraph styles Heading1 to Heading6 and Title.
func heading(style string) string {
	if style == "Title" {
		return "# "
	}
	if n := strings.TrimPrefix(style, "Heading"); len(n) == 1 && n[0] >= '1' && n[0] <= '6' {
		return strings.Repeat("#", int(n[0]-'0')) + " "
	}
	return ""
}
