package diag

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
)

// sarifResults is how many results of one run are written: more is refused by code-scanning services.
const sarifResults = 25_000

// SARIFOptions describe the tool in the log. The zero value names swarmrun without a version.
type SARIFOptions struct {
	Version string // of swarmrun
}

// WriteSARIF writes a SARIF 2.1.0 log with one run. Files inside the workspace are relative to %SRCROOT%; columns count
// code points; a finding keeps its fingerprint while its line moves. At most 25,000 results are written, and a
// notification says how many were left out. The error is the writer's.
// Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
func WriteSARIF(w io.Writer, l List, o *SARIFOptions) error {
	if o == nil {
		o = &SARIFOptions{}
	}
	data, err := encode(newSARIF(l, o))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err = w.Write(b.Bytes())
	return err
}

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations,omitempty"`
		ColumnKind  string            `json:"columnKind"`
		Newlines    []string          `json:"newlineSequences"`
		Language    string            `json:"language"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Language       string      `json:"language"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string        `json:"id"`
		Short   *sarifMessage `json:"shortDescription,omitempty"`
		Full    *sarifMessage `json:"fullDescription,omitempty"`
		Help    *sarifMessage `json:"help,omitempty"`
		Default sarifConfig   `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Fixes        []sarifFix        `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int32 `json:"startLine"`
		StartColumn int32 `json:"startColumn,omitempty"`
		EndLine     int32 `json:"endLine,omitempty"`
		EndColumn   int32 `json:"endColumn,omitempty"`
	}
	sarifFix struct {
		Description sarifMessage  `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion  `json:"deletedRegion"`
		Inserted sarifMessage `json:"insertedContent"`
	}
)

func newSARIF(l List, o *SARIFOptions) sarifLog {
	run := sarifRun{
		ColumnKind: "unicodeCodePoints", Newlines: []string{"\r\n", "\n", "\r"}, Language: "en-US",
		Results: []sarifResult{},
	}
	run.Tool.Driver = sarifDriver{
		Name: "swarmrun", Version: o.Version, InformationURI: "https://github.com/swarmrun/swarmrun", Language: "en-US",
		Rules: []sarifRule{},
	}
	if cut := len(l) - sarifResults; cut > 0 {
		l = l[:sarifResults]
		run.Invocations = []sarifInvocation{{ExecutionSuccessful: true, Notifications: []sarifNotification{{
			Level: "warning", Message: sarifMessage{fmt.Sprintf("%d more findings are left out of this log", cut)},
		}}}}
	}
	index := make(map[Code]int)
	for i := range l {
		d := &l[i]
		n, ok := index[d.Code]
		if !ok {
			n = len(run.Tool.Driver.Rules)
			index[d.Code] = n
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSARIFRule(d.Code))
		}
		run.Results = append(run.Results, newSARIFResult(d, n))
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func newSARIFRule(c Code) sarifRule {
	r := sarifRule{ID: visible(string(c)), Default: sarifConfig{sarifLevel(c.Severity())}}
	if e, ok := Lookup(c); ok {
		r.Short, r.Full, r.Help = &sarifMessage{e.Title}, &sarifMessage{e.Cause}, &sarifMessage{e.Cure}
	}
	return r
}

func newSARIFResult(d *Diagnostic, rule int) sarifResult {
	r := sarifResult{
		RuleID: visible(string(d.Code)), RuleIndex: rule, Level: sarifLevel(d.Severity),
		Message:      sarifMessage{sarifText(d)},
		Fingerprints: map[string]string{"swarmrun/v1": fingerprint(d)},
	}
	if !d.Range.IsZero() {
		r.Locations = []sarifLocation{newSARIFLocation(d.Range)}
	}
	for i, n := range d.Notes {
		if n.Range.IsZero() {
			continue
		}
		at := newSARIFLocation(n.Range)
		at.ID, at.Message = i+1, &sarifMessage{visibleLines(n.Text)}
		r.Related = append(r.Related, at)
	}
	if f := d.Fix; f != nil && !d.Range.IsZero() {
		r.Fixes = []sarifFix{{
			Description: sarifMessage{fixTitle(f)},
			Changes: []sarifChange{{Artifact: artifact(d.Range.File), Replacements: []sarifReplacement{{
				Deleted:  sarifRegion{StartLine: int32(f.Line), EndLine: int32(max(f.Line, f.EndLine))},
				Inserted: sarifMessage{f.Text},
			}}}},
		}}
	}
	return r
}

// sarifText holds what a viewer of SARIF has no other place for.
func sarifText(d *Diagnostic) string {
	text := visible(d.Summary)
	for _, more := range []string{d.Detail, d.Suggestion} {
		if more != "" {
			text += "\n" + visibleLines(more)
		}
	}
	return text
}

func sarifLevel(s Severity) string {
	if s == Info {
		return "note"
	}
	return s.String()
}

func newSARIFLocation(r Range) sarifLocation {
	at := sarifLocation{Physical: sarifPhysical{Artifact: artifact(r.File)}}
	if r.Start.Line > 0 {
		at.Physical.Region = &sarifRegion{StartLine: r.Start.Line, StartColumn: r.Start.Column}
		if r.End.Compare(r.Start) >= 0 {
			at.Physical.Region.EndLine, at.Physical.Region.EndColumn = r.End.Line, r.End.Column
		}
	}
	return at
}

// artifact is a file as an escaped URI: relative to the root of the sources, or absolute.
func artifact(file string) sarifArtifact {
	if path.IsAbs(file) {
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: file}).String()}
	}
	return sarifArtifact{URI: (&url.URL{Path: file}).String(), Base: "%SRCROOT%"}
}

// fingerprint stays the same when lines are put in above the finding.
func fingerprint(d *Diagnostic) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(d.Code), d.Range.File, d.Summary}, "\x00")))
	return hex.EncodeToString(sum[:16])
}
