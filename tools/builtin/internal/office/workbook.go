package office

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// sheet is one sheet of a workbook and the part it lies in.
type sheet struct{ name, part string }

// workbook is the text of an xlsx: for each sheet its name and then a line for each row, cells separated by tabs.
func workbook(z archive) (string, error) {
	sheets, err := sheetsOf(z)
	if err != nil {
		return "", err
	}
	shared, err := sharedStrings(z)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, s := range sheets {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "# %s\n", s.name)
		if err := writeRows(&b, z, s.part, shared); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// sheetsOf lists the sheets in the order of the workbook.
func sheetsOf(z archive) ([]sheet, error) {
	target := map[string]string{}
	err := z.part("xl/_rels/workbook.xml.rels", func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "Relationship" {
			target[attr(e, "Id")] = attr(e, "Target")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var sheets []sheet
	err = z.part("xl/workbook.xml", func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "sheet" {
			to := target[attr(e, "id")]
			if rooted, ok := strings.CutPrefix(to, "/"); ok {
				to = rooted
			} else {
				to = path.Join("xl", to)
			}
			sheets = append(sheets, sheet{name: attr(e, "name"), part: to})
		}
		return nil
	})
	return sheets, err
}

// sharedStrings reads the texts that cells refer to by number; a workbook without text has none.
func sharedStrings(z archive) ([]string, error) {
	const name = "xl/sharedStrings.xml"
	if _, err := fs.Stat(z, name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []string
	var item strings.Builder
	text := false
	err := z.part(name, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			text = t.Name.Local == "t"
		case xml.EndElement:
			text = false
			if t.Name.Local == "si" {
				all = append(all, item.String())
				item.Reset()
			}
		case xml.CharData:
			if text {
				item.Write(t)
			}
		}
		return nil
	})
	return all, err
}

// maxColumns is the number of columns that the format has; a reference beyond it is a broken file.
const maxColumns = 16384

// writeRows writes a sheet. Empty cells between others keep their place.
func writeRows(b *strings.Builder, z archive, name string, shared []string) error {
	var row []string
	var value strings.Builder
	column, kind, inside := 0, "", false
	return z.part(name, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				row = row[:0]
			case "c":
				column, kind = columnOf(attr(t, "r"), len(row)), attr(t, "t")
				if column >= maxColumns {
					return fmt.Errorf("part %s: cell %q is outside the sheet", name, attr(t, "r"))
				}
				value.Reset()
			case "v", "t":
				inside = true
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "v", "t":
				inside = false
			case "c":
				for len(row) <= column {
					row = append(row, "")
				}
				row[column] = cell(value.String(), kind, shared)
			case "row":
				b.WriteString(strings.TrimRight(strings.Join(row, "\t"), "\t") + "\n")
			}
		case xml.CharData:
			if inside {
				value.Write(t)
			}
		}
		return nil
	})
}

// cell is the text of a cell: what it holds, or the shared text it refers to.
func cell(value, kind string, shared []string) string {
	switch kind {
	case "s":
		if i, err := strconv.Atoi(value); err == nil && i >= 0 && i < len(shared) {
			value = shared[i]
		}
	case "b":
		value = map[string]string{"0": "FALSE", "1": "TRUE"}[value]
	}
	return strings.NewReplacer("\t", " ", "\r\n", " ", "\n", " ").Replace(value)
}

// columnOf is the column, from 0, of a reference such as "AB12"; next where there is none.
func columnOf(ref string, next int) int {
	n := 0
	for i := 0; i < len(ref) && ref[i] >= 'A' && ref[i] <= 'Z' && n <= maxColumns; i++ {
		n = n*26 + int(ref[i]-'A') + 1
	}
	if n == 0 {
		return next
	}
	return n - 1
}
