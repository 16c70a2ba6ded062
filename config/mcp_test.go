package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/config/diag"
)

// TestMCPFixtures holds the .mcp.json fixtures against EXPECT.json.
func TestMCPFixtures(t *testing.T) {
	dir := filepath.Join("testdata", "formats")
	raw, err := os.ReadFile(filepath.Join(dir, "EXPECT.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct {
		Kind          string
		Diag          []expectedDiag
		Env           map[string]string
		BrokenEntries []string `json:"broken_entries"`
		MessageHas    []string `json:"message_has"`
		Want          struct {
			Servers    map[string]any
			ToolPrefix map[string]string `json:"tool_prefix"`
		}
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for name, e := range all {
		if e.Kind != "mcp" {
			continue
		}
		checked++
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			var env []string
			for k, v := range e.Env {
				env = append(env, k+"="+v)
			}
			entries, ds := ReadMCPFile(src, name, FromClaude, env, false)
			servers, broken := map[string]any{}, []string(nil)
			for _, x := range entries {
				ds.Add(x.Diagnostics...)
				if !x.Definition.Status.Usable() {
					broken = append(broken, x.Definition.Name)
					continue
				}
				servers[x.Definition.Name] = expectedServer(x.Server)
			}
			var codes, want []diag.Code
			text := ""
			for _, d := range ds {
				codes = append(codes, d.Code)
				text += d.Summary + d.Suggestion + "\n"
			}
			for _, d := range e.Diag {
				want = append(want, d.Code)
			}
			if diff := cmp.Diff(want, codes); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(e.BrokenEntries, broken); diff != "" {
				t.Error(diff)
			}
			if e.Want.Servers != nil {
				if diff := cmp.Diff(generic(t, e.Want.Servers), generic(t, servers)); diff != "" {
					t.Error(diff)
				}
			}
			for server, prefix := range e.Want.ToolPrefix {
				if servers[server] == nil || "mcp__"+cleanName(server)+"__" != prefix {
					t.Errorf("%s: no prefix %s", server, prefix)
				}
			}
			for _, words := range e.MessageHas {
				if !strings.Contains(text, words) {
					t.Errorf("no message holds %q: %s", words, text)
				}
			}
		})
	}
	if checked != 3 {
		t.Errorf("%d fixtures", checked)
	}
}

// expectedServer is a server in the terms of EXPECT.json.
func expectedServer(m *MCP) map[string]any {
	out := map[string]any{"type": m.Type.V}
	if m.Type.V == "" {
		out["type"] = "stdio"
	}
	if m.Command.Set() {
		out["command"] = m.Command.V
	}
	if m.URL.Set() {
		out["url"] = m.URL.V
	}
	if len(m.Args.V) > 0 {
		out["args"] = texts(m.Args.V)
	}
	for key, pairs := range map[string][]Pair{"env": m.Env, "headers": m.Headers} {
		values := map[string]string{}
		for _, p := range pairs {
			values[p.Name] = p.Value.V
		}
		if len(values) > 0 {
			out[key] = values
		}
	}
	return out
}

// places lists findings as line:column code.
func places(ds diag.List) []string {
	var out []string
	for _, d := range ds.Sort() {
		out = append(out, fmt.Sprintf("%d:%d %s", d.Range.Start.Line, d.Range.Start.Column, d.Code))
	}
	return out
}

func TestReadMCPFile(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"no wrapper", `{"a":{"command":"cat"}}`, []string{"1:2 W-MCP-WRAPPER"}},
		{"empty", `{}`, nil},
		{"nested", "{\"mcpServers\":{\n\"a\":{\"transport\":{\"type\":\"http\",\"url\":\"http://x\"}}}}", []string{"2:6 E-MCP-NEST", "2:6 I-KEY-UNKNOWN"}},
		{"unknown type", `{"mcpServers":{"a":{"type":"ws","url":"http://x"}}}`, []string{"1:28 E-MCP-TYPE"}},
		{"seconds", `{"mcpServers":{"a":{"command":"cat","timeout":30}}}`, []string{"1:47 W-TIMEOUT-S"}},
		{"blanks", `{"mcpServers":{"a":{"command":"cat ","args":[" x"]}}}`, []string{"1:31 W-MCP-SPACE", "1:46 W-MCP-SPACE"}},
		{"no object", `{"mcpServers":{"a":"cat","b":{"command":"cat"}}}`, []string{"1:20 E-VALUE-TYPE"}},
		{"headers", `{"mcpServers":{"a":{"type":"http","url":"http://x","headers":{"A":[1]}}}}`, []string{"1:67 E-VALUE-TYPE"}},
		{"both", `{"mcpServers":{"a":{"type":"http","url":"http://x","command":"c"}}}`, []string{"1:35 E-MCP-TYPE"}},
		{"no address", `{"mcpServers":{"a":{"type":"http","url":"x.example"}}}`, []string{"1:41 E-MCP-TYPE"}},
		{"aliases", `{"mcpServers":{"a":{"type":"streamable-http","url":"http://x"},"b":{"type":"local","command":"c"}}}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			entries, ds := ReadMCPFile([]byte(tt.text), ".mcp.json", FromClaude, nil, false)
			for _, e := range entries {
				ds.Add(e.Diagnostics...)
			}
			if diff := cmp.Diff(tt.want, places(ds)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadMCP(t *testing.T) {
	env := []string{"KEY=secret-value", "EMPTY="}
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"program", "---\ncommand: cat\nargs: [-u]\n---\nNotes.\n", nil},
		{"nothing", "---\nname: a\n---\n", []string{"1:1 E-MCP-TYPE"}},
		{"both", "---\ncommand: cat\nurl: http://x\n---\n", []string{"3:1 E-MCP-TYPE"}},
		{"name", "---\nname: a b\ncommand: cat\n---\n", []string{"2:7 W-MCP-NAME"}},
		{"no check", "---\nurl: https://x\ntls_verify: false\n---\n", []string{"3:13 W-MCP-TLS"}},
		{"unset", "---\ncommand: cat\nenv: {A: \"${NO}\", B: \"$$x\"}\n---\n", []string{"3:10 W-VAR-UNSET"}},
		{"no address", "---\nurl: \"${NO}\"\n---\n", []string{"2:6 E-VAR-UNSET", "2:6 W-VAR-UNSET"}},
		{"needed", "---\ncommand: cat\nargs: [\"${NO:?write it}\"]\n---\n", []string{"3:8 E-VAR-UNSET"}},
		{"prefix", "---\ncommand: cat\nprefix: a.b\n---\n", []string{"3:9 W-VALUE-TYPE"}},
		{"tools", "---\ncommand: cat\ntools: {a: b}\n---\n", []string{"3:8 E-VALUE-TYPE"}},
		{"near", "---\ncommand: cat\ntimout: 3\n---\n", []string{"3:1 W-KEY-NEAR"}},
		{"type", "---\ncommand: cat\ntype: http\n---\n", []string{"3:7 E-MCP-TYPE"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, def, ds := ReadMCP([]byte(tt.text), "mcp/x.md", Workspace, env)
			if diff := cmp.Diff(tt.want, places(ds)); diff != "" {
				t.Error(diff)
			}
			if m == nil || m.Status != def.Status || ds.HasErrors() != (def.Status == Broken) {
				t.Errorf("%v with status %s", m, def.Status)
			}
		})
	}
	m, _, ds := ReadMCP([]byte("---\nurl: https://x/${EMPTY:-mcp}\nheaders: {Authorization: \"Bearer ${KEY}\"}\nauth: {client_id: c, scopes: a b}\n---\n"), "mcp/x.md", Workspace, env)
	if m == nil || m.URL.V != "https://x/mcp" || m.Headers[0].Value.V != "Bearer secret-value" || !slices.Contains(m.Secrets, "secret-value") ||
		m.Auth.V.ClientID != "c" || len(m.Auth.V.Scopes) != 2 {
		t.Errorf("%+v %v", m, ds)
	}
}
