package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/internal/lazy"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

const (
	maxFrame = 16 << 20 // bytes of one message
	maxNoise = 64 << 20 // bytes on stdout that are no message, before a server counts as broken
)

// program is the process of a server on stdin and stdout.
type program struct {
	process  *sandbox.Process
	filter   *filter
	confined bool // its files are those that the sandbox opens
}

// launch starts a server's program and gives the way to it.
func (l *link) launch(ctx context.Context) (*program, sdk.Transport, error) {
	dir := l.server.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(l.workspace, dir)
	}
	launcher := l.launcher()
	p, err := launcher.Start(ctx, sandbox.Command{
		Argv: l.server.Command, Dir: dir, Env: l.environ(), Access: l.access(), Cache: l.options.childCache(l.key),
	})
	if err != nil {
		return nil, nil, err
	}
	f := &filter{in: bufio.NewReaderSize(p.Stdout(), 64<<10)}
	return &program{p, f, launcher.Confines()}, &sdk.IOTransport{Reader: f, Writer: closing{p}, MaxLineLength: maxFrame}, nil
}

// launcher starts the server's program with what its own sandbox says besides that of all children.
func (l *link) launcher() sandbox.Launcher {
	out, s := l.options.Launcher, &l.server
	if s.Mode != "" && out.Mode != sandbox.Require {
		out.Mode = s.Mode
	}
	out.Read = slices.Concat(out.Read, s.Read)
	out.Env = slices.Concat(out.Env, s.EnvPass)
	out.Sockets = out.Sockets || s.Sockets
	return out
}

// environ is what the settings give the program, and a cache that npm may write: it does not follow XDG_CACHE_HOME.
func (l *link) environ() map[string]string {
	cache := l.options.childCache(l.key)
	if _, set := l.server.Env["npm_config_cache"]; set || cache == "" {
		return l.server.Env
	}
	env := map[string]string{"npm_config_cache": filepath.Join(cache, "npm")}
	maps.Copy(env, l.server.Env)
	return env
}

// denied are the words of systems and interpreters for what may not be opened.
var denied = lazy.MustCompile(`(?i)permission denied|operation not permitted|read-only file system|\b(EACCES|EPERM|EROFS)\b`)

// told is what the program has said besides its messages, with the way out where the sandbox may have refused it something.
func (p *program) told() (text string) {
	if words := short(p.process.Stderr(), 4<<10); words != "" {
		text += "; stderr: " + words
		if p.confined && denied.Get().MatchString(words) {
			text += "; the sandbox may have refused that: `read` in the `sandbox` of the server or of the settings opens a path"
		}
	}
	if noise := p.filter.dropped(); noise != "" {
		text += "; " + noise
	}
	return text
}

// closing is the stdin of a program; closing it ends the program and waits until it is gone.
type closing struct{ process *sandbox.Process }

func (c closing) Write(b []byte) (int, error) { return c.process.Stdin().Write(b) }
func (c closing) Close() error                { return c.process.Close() }

var errFlood = errors.New("the server floods its stdout with what is no message")

// filter passes lines that begin like a message and drops all others: banners, logs, blank lines.
type filter struct {
	in   *bufio.Reader
	mid  bool // inside a line that passes
	rest []byte

	mu    sync.Mutex
	noise int
	first string // the first line that was dropped
}

// Close does nothing: the process closes its own stream.
func (f *filter) Close() error { return nil }

// Read gives the next bytes of lines that pass.
func (f *filter) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		piece, err := f.in.ReadSlice('\n')
		whole := err == nil
		if errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		}
		if f.mid || begins(piece) {
			f.rest, f.mid = piece, !whole
		} else if drop := f.drop(piece, whole); drop != nil {
			return 0, drop
		}
		if err != nil && len(f.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func begins(piece []byte) bool {
	t := bytes.TrimLeft(piece, " \t\r")
	return len(t) > 0 && (t[0] == '{' || t[0] == '[')
}

// drop skips a line to its end, however long it is.
func (f *filter) drop(piece []byte, whole bool) error {
	f.count(piece)
	for !whole {
		more, err := f.in.ReadSlice('\n')
		if f.count(more) > maxNoise {
			return errFlood
		}
		whole = err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	if f.count(nil) > maxNoise {
		return errFlood
	}
	return nil
}

func (f *filter) count(piece []byte) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.noise += len(piece)
	if t := bytes.TrimSpace(piece); f.first == "" && len(t) > 0 {
		f.first = short(string(t[:min(len(t), 200)]), 200)
	}
	return f.noise
}

// dropped says what was no message; "" when all was.
func (f *filter) dropped() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == "" {
		return ""
	}
	return fmt.Sprintf("%d bytes on stdout were no message and are left out, the first: %s", f.noise, f.first)
}

var _ io.ReadCloser = (*filter)(nil)
