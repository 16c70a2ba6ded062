package mcp

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// TestServerSandbox: a server's own sandbox adds to that of all children, and a demanded one stays demanded.
func TestServerSandbox(t *testing.T) {
	for _, tt := range []struct{ all, own, want sandbox.Mode }{
		{"", sandbox.Off, sandbox.Off}, {sandbox.Auto, "", sandbox.Auto}, {sandbox.Require, sandbox.Off, sandbox.Require}, {sandbox.Off, sandbox.Require, sandbox.Require},
	} {
		l := &link{
			server:  Server{Mode: tt.own, Read: []string{"/own"}, EnvPass: []string{"OWN"}, Sockets: true},
			options: Options{Launcher: sandbox.Launcher{Mode: tt.all, Read: []string{"/all"}, Env: []string{"ALL"}}},
		}
		got := l.launcher()
		if got.Mode != tt.want || !got.Sockets {
			t.Errorf("%q and %q: %q, sockets %v", tt.all, tt.own, got.Mode, got.Sockets)
		}
		if d := cmp.Diff([][]string{{"/all", "/own"}, {"ALL", "OWN"}}, [][]string{got.Read, got.Env}); d != "" {
			t.Error(d)
		}
	}
}

// TestServerCache: programs that one server may change are never run by another, nor by what else writes below the cache.
func TestServerCache(t *testing.T) {
	o := Options{Cache: "/w/.swarmrun/cache/mcp"}
	var got []string
	for _, s := range []Server{{Name: "a", Command: []string{"npx", "a"}}, {Name: "a", Command: []string{"npx", "b"}}} {
		l := &link{server: s, options: o, key: s.fingerprint()}
		dir := l.environ()["npm_config_cache"]
		if parent := filepath.Dir(filepath.Dir(dir)); parent != "/w/.swarmrun/cache/servers" {
			t.Errorf("its cache is %s", dir)
		}
		got = append(got, dir)
	}
	if got[0] == got[1] {
		t.Errorf("both use %s", got[0])
	}
}
