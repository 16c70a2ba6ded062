package office

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pack makes a zip of name, content pairs.
func pack(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for name, content := range parts {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestDocument(t *testing.T) {
	const body = `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>
<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">Two </w:t></w:r><w:r><w:t>runs&amp;all</w:t><w:tab/><w:t>tab</w:t><w:br/><w:t>break</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>item</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:p><w:r><w:instrText>HIDDEN</w:instrText><w:delText>GONE</w:delText></w:r></w:p>
</w:body></w:document>`
	got, err := Text(".docx", pack(t, map[string]string{"word/document.xml": body}))
	if err != nil {
		t.Fatal(err)
	}
	want := "## Plan\nTwo runs&all\ttab\nbreak\n- item\na | b c\n\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func book(sheet string) map[string]string {
	return map[string]string{
		"xl/workbook.xml":            `<workbook xmlns:r="r"><sheets><sheet name="Costs" sheetId="1" r:id="rId7"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId7" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/sharedStrings.xml":       `<sst><si><t>Item</t></si><si><r><t>Ri</t></r><r><t>ch</t></r></si></sst>`,
		"xl/worksheets/sheet1.xml":   sheet,
	}
}

func TestWorkbook(t *testing.T) {
	got, err := Text(".xlsx", pack(t, book(`<worksheet><sheetData>
<row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
<row><c r="A2"><f>1+1</f><v>2</v></c><c t="b"><v>1</v></c><c r="D2" t="inlineStr"><is><t>in
line</t></is></c></row></sheetData></worksheet>`)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("# Costs\nItem\t\tRich\n2\tTRUE\t\tin line\n", got); diff != "" {
		t.Error(diff)
	}
}

func TestBroken(t *testing.T) {
	const limit = 1 << 16
	bomb := `<worksheet>` + strings.Repeat(" ", limit) + `</worksheet>`
	tests := []struct {
		name, ext string
		data      []byte
		want      string
	}{
		{"no zip", ".docx", []byte("PK"), "not a whole .docx file"},
		{"no document", ".docx", pack(t, map[string]string{"x": ""}), "word/document.xml"},
		{"torn XML", ".docx", pack(t, map[string]string{"word/document.xml": "<a><b>"}), "word/document.xml"},
		{"no workbook", ".xlsx", pack(t, nil), "xl/_rels/workbook.xml.rels"},
		{"far column", ".xlsx", pack(t, book(`<row><c r="ZZZZZZZZ1"><v>1</v></c></row>`)), "outside the sheet"},
		{"bomb", ".xlsx", pack(t, book(bomb)), "larger than 65536 bytes"},
		{"other", ".odt", pack(t, nil), ".odt files are not read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := textOf(tt.ext, tt.data, limit); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}
