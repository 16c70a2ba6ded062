package mcp

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// real finds the servers of others that .ci/run installs.
func real(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("SWARMRUN_MCP_SERVERS")
	switch {
	case dir == "" && os.Getenv("CI") == "":
		t.Skip("SWARMRUN_MCP_SERVERS names no folder with servers of others; .ci/run installs them")
	case dir == "":
		t.Fatal("CI, and SWARMRUN_MCP_SERVERS is not set")
	}
	path := filepath.Join(dir, "node_modules", ".bin", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestServerFilesystem(t *testing.T) {
	program := real(t, "mcp-server-filesystem")
	d := newDesk(t)
	if err := os.WriteFile(filepath.Join(d.home, "note.txt"), []byte("from the disk"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := d.open(Server{Name: "fs", Command: []string{program, d.home}})
	r := d.call(got["mcp__fs__read_text_file"], `{"path":"`+filepath.Join(d.home, "note.txt")+`"}`)
	if r.IsError || !strings.Contains(r.Content, "from the disk") {
		t.Errorf("%+v", r)
	}
	if r := d.call(got["mcp__fs__read_text_file"], `{"path":"/etc/passwd"}`); !r.IsError {
		t.Errorf("read outside: %q", r.Content)
	}
}

func TestServerEverything(t *testing.T) {
	program := real(t, "mcp-server-everything")
	for _, way := range []string{"stdio", "streamableHttp", "sse"} {
		t.Run(way, func(t *testing.T) {
			d := newDesk(t)
			s := Server{Name: "all", Command: []string{program, "stdio"}}
			if way != "stdio" {
				s = Server{Name: "all", URL: listening(t, program, way)}
			}
			got := d.open(s)
			if r := d.call(got["mcp__all__echo"], `{"message":"hi"}`); !strings.Contains(r.Content, "hi") {
				t.Errorf("echo: %q", r.Content)
			}
			if r := d.call(got["mcp__all__get-tiny-image"], `{}`); len(r.Blobs) == 0 {
				t.Errorf("no image: %q", r.Content)
			}
			if r := d.call(got["mcp__all__get-structured-content"], `{"location":"New York"}`); !strings.Contains(r.Content, "temperature") {
				t.Errorf("structured: %q", r.Content)
			}
			if r := d.call(got["mcp__all__trigger-long-running-operation"], `{"duration":1,"steps":3}`); r.IsError || d.ears.find("tool_progress") == nil {
				t.Errorf("progress: %q, told %v", r.Content, d.ears.types())
			}
			list := d.call(got["mcp__all__list_resources"], `{}`)
			if uri, _, ok := strings.Cut(list.Content, ": "); !ok || d.call(got["mcp__all__read_resource"], `{"uri":"`+uri+`"}`).IsError {
				t.Errorf("resources: %.300q", list.Content)
			}
			if r := d.call(got["mcp__all__list_prompts"], `{}`); !strings.Contains(r.Content, "(") {
				t.Errorf("prompts: %q", r.Content)
			}
		})
	}
}

// listening starts a server behind HTTP and gives its address.
func listening(t *testing.T, program, way string) string {
	t.Helper()
	port := "39471"
	if way == "sse" {
		port = "39472"
	}
	cmd := exec.Command(program, way)
	cmd.Env = append(os.Environ(), "PORT="+port)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = cmd.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	ready := make(chan bool, 1)
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			if strings.Contains(s.Text(), port) {
				select {
				case ready <- true:
				default:
				}
			}
		}
	}()
	select {
	case <-ready:
	case <-time.After(20 * time.Second):
		t.Fatal("the server does not listen")
	}
	path := map[string]string{"sse": "/sse", "streamableHttp": "/mcp"}[way]
	return "http://127.0.0.1:" + port + path
}
