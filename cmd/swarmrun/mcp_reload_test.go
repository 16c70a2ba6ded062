package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServeFollowsSaves has a client of mcp serve: it is told when a save changes the list of tools, and its next call runs
// the agent as it was saved. A save that is broken changes nothing.
func TestServeFollowsSaves(t *testing.T) {
	dir := t.TempDir()
	save := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	agent := func(description string) string {
		return "---\ndescription: " + description + "\nmodel: script/m\ntools: []\n---\nBody.\n"
	}
	save("models/m.yaml", "version: 1\nrules: [{when: {agent: two}, reply: {text: two}}, {reply: {text: one}}]\n")
	save("agents/one.md", agent("One."))
	c := serveClient(t, dir)
	for _, step := range []struct {
		name, file, text string
		told             bool // the list changed
		tools            string
		tool, answer     string
	}{
		{name: "as it begins", tools: "one: One.", tool: "one", answer: "one"},
		{"a description", "agents/one.md", agent("First."), true, "one: First.", "one", "one"},
		{"a new agent", "agents/two.md", agent("Two."), true, "one: First., two: Two.", "two", "two"},
		{"a broken save, then another answer", "agents/one.md", "---\nname: [\n---\n", false, "one: First., two: Two.", "one", "one"},
		{"mended under another name", "agents/one.md", "---\nname: three\n" + agent("Three.")[4:], true, "three: Three., two: Two.", "three", "one"},
	} {
		if step.file != "" {
			save(step.file, step.text)
		}
		if step.told {
			c.heard("notifications/tools/list_changed")
		}
		var list struct {
			Tools []struct{ Name, Description string }
		}
		c.ask("tools/list", "{}", &list)
		var got []string
		for _, x := range list.Tools {
			got = append(got, x.Name+": "+x.Description)
		}
		if strings.Join(got, ", ") != step.tools {
			t.Errorf("%s: tools %v, want %s", step.name, got, step.tools)
		}
		var answer struct{ Content []struct{ Text string } }
		c.ask("tools/call", fmt.Sprintf(`{"name": %q, "arguments": {"prompt": "go"}}`, step.tool), &answer)
		if len(answer.Content) != 1 || answer.Content[0].Text != step.answer {
			t.Errorf("%s: answer %v, want %s", step.name, answer, step.answer)
		}
	}
}

// stdioClient is a client on the pipes of a process.
type stdioClient struct {
	t     *testing.T
	in    *json.Encoder
	lines chan map[string]json.RawMessage
	id    int
	notes map[string]int // heard and not asked for yet
}

// serveClient starts the program in a workspace and greets it.
func serveClient(t *testing.T, dir string, targets ...string) *stdioClient {
	t.Helper()
	cmd := exec.Command(buildProgram(t), append([]string{"-C", dir, "mcp", "serve"}, targets...)...) // it ends with its client
	cmd.Env = append(cleanEnviron(), "HOME="+dir, "PATH="+os.Getenv("PATH"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program ended with %v", err)
		}
	})
	c := &stdioClient{t: t, in: json.NewEncoder(in), lines: make(chan map[string]json.RawMessage), notes: map[string]int{}}
	go func() {
		defer close(c.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			var m map[string]json.RawMessage
			if json.Unmarshal(s.Bytes(), &m) == nil {
				c.lines <- m
			}
		}
	}()
	t.Cleanup(func() {
		go func() {
			for range c.lines { // what is said to the end
			}
		}()
	})
	var hello struct{ ServerInfo struct{ Name string } }
	c.ask("initialize", `{"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}`, &hello)
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

func (c *stdioClient) send(m map[string]any) {
	c.t.Helper()
	if err := c.in.Encode(m); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a request and takes its result.
func (c *stdioClient) ask(method, params string, result any) {
	c.t.Helper()
	c.id++
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": json.RawMessage(params)})
	for {
		m := c.next()
		if string(m["id"]) != fmt.Sprint(c.id) {
			continue
		}
		if err := json.Unmarshal(m["result"], result); err != nil {
			c.t.Fatalf("%s: %v; %s", method, err, m["error"])
		}
		return
	}
}

// heard waits for a notification.
func (c *stdioClient) heard(method string) {
	c.t.Helper()
	for c.notes[method] == 0 {
		c.next()
	}
	c.notes[method] = 0
}

// next takes a message, and counts it if it is a notification.
func (c *stdioClient) next() map[string]json.RawMessage {
	c.t.Helper()
	select {
	case m, open := <-c.lines:
		if !open {
			c.t.Fatal("the server has gone")
		}
		if m["id"] == nil {
			var method string
			_ = json.Unmarshal(m["method"], &method)
			c.notes[method]++
		}
		return m
	case <-time.After(60 * time.Second):
		c.t.Fatal("the server says nothing")
		return nil
	}
}
