package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Change is what has to be looked at again.
type Change struct {
	Paths []string // sorted, as named below the Places; files may be gone
	All   bool     // folders came, went or were linked elsewhere, or events were lost: every place has to be looked at
}

// Places are what is watched. None of them needs to exist.
type Places struct {
	Trees   []string // folders with all below them, through links
	Folders []string // folders without what lies below
	Files   []string // single files anywhere
}

// Mode is how changes are noticed.
type Mode string

// The modes. The zero Mode is Auto: events, and polling where the system gives none.
const (
	Auto Mode = "auto"
	Poll Mode = "poll"
)

// Options of a Watcher; nil means the defaults.
type Options struct {
	Mode  Mode
	Quiet time.Duration // how long it must be quiet before a change is told; 0 = 100 ms
	Most  time.Duration // after which it is told although writing goes on; 0 = 1 s
	Every time.Duration // of polling; 0 = 1 s
	Told  func(Notice)  // how the mode fell back to polling, once; nil = nobody
}

// Watcher watches places. One is enough for a process; it is for one goroutine, but for Stop of the context.
type Watcher struct {
	o      Options
	places Places
	notify *fsnotify.Watcher // nil: polling
	told   bool

	follow  map[string]string // watched folder → where it lies
	deep    map[string]bool   // of them, those whose every entry counts
	files   map[string]bool   // single files that count
	behind  map[string]bool   // folders that hold the target of a link: whatever happens there, all has to be looked at
	missing []string          // places whose folder does not exist, absolute

	seen map[string]stamp // polling: what was there
}

// New makes a watcher; it watches from Follow on.
func New(o *Options) *Watcher {
	w := &Watcher{}
	if o != nil {
		w.o = *o
	}
	if w.o.Quiet == 0 {
		w.o.Quiet = 100 * time.Millisecond
	}
	if w.o.Most == 0 {
		w.o.Most = time.Second
	}
	if w.o.Every == 0 {
		w.o.Every = time.Second
	}
	if w.o.Mode != Poll {
		n, err := fsnotify.NewWatcher()
		if err != nil {
			w.fallBack(err)
		} else {
			w.notify = n
		}
	}
	return w
}

// Close gives the system's watches back.
func (w *Watcher) Close() error {
	if w.notify == nil {
		return nil
	}
	return w.notify.Close()
}

// Follow says what is watched from now on, in place of what was before. What changes after it returned will be told.
func (w *Watcher) Follow(p Places) {
	w.places = p
	w.walk()
}

// Run tells of changes until ctx ends, whose error it returns. told runs in Run's own goroutine and may call Follow.
func (w *Watcher) Run(ctx context.Context, told func(Change)) error {
	var events chan fsnotify.Event
	var faults chan error
	tick := time.NewTicker(w.o.Every)
	defer tick.Stop()
	fire := time.NewTimer(time.Hour)
	fire.Stop()
	p := &pending{quiet: w.o.Quiet, most: w.o.Most, timer: fire}
	for {
		if w.notify != nil {
			events, faults = w.notify.Events, w.notify.Errors
			tick.Stop()
		} else if events != nil { // the watches ran out meanwhile
			events, faults = nil, nil
			tick.Reset(w.o.Every)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-events:
			if !passing(e.Name) { // rights count as well: they decide what can be read
				p.add(e.Name)
			}
		case err := <-faults:
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				p.lost()
			}
		case <-tick.C:
			if c := w.look(); c.All || len(c.Paths) > 0 {
				told(c)
			}
		case <-fire.C:
			if c := w.settle(p.take()); c.All || len(c.Paths) > 0 {
				told(c)
			}
		}
	}
}

// settle follows folders that came or went, and leaves out what is nobody's.
func (w *Watcher) settle(paths map[string]bool, lost bool) Change {
	c := Change{All: lost}
	for path := range paths {
		switch {
		case w.behind[filepath.Dir(path)], w.turns(path):
			c.All = true
		case w.counts(path):
			c.Paths = append(c.Paths, path)
		}
	}
	if c.All {
		w.walk()
	}
	slices.Sort(c.Paths)
	return c
}

// turns tells whether a path is, or was, more than a plain file: what lies behind it may be another tree now.
func (w *Watcher) turns(path string) bool {
	if _, ok := w.follow[path]; ok || w.leads(path) {
		return true
	}
	fi, err := os.Lstat(path)
	if err != nil {
		return false // a file that went
	}
	return !fi.Mode().IsRegular() && w.counts(path)
}

// leads tells whether a missing place is the path or lies below it.
func (w *Watcher) leads(path string) bool {
	return slices.ContainsFunc(w.missing, func(m string) bool { return within(m, path) })
}

// counts tells whether a path is one of those that were asked for.
func (w *Watcher) counts(path string) bool { return w.deep[filepath.Dir(path)] || w.files[path] }

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// Notice is why no events come.
type Notice struct {
	Why string
	Way string // a command that raises the limit of the system; "" = none does
}

// String is both in one line.
func (n Notice) String() string {
	if n.Way == "" {
		return n.Why
	}
	return n.Why + "; for events, raise it with: " + n.Way
}

// fallBack goes over to polling and says why.
func (w *Watcher) fallBack(err error) {
	if w.notify != nil {
		_ = w.notify.Close()
		w.notify = nil
	}
	if w.told || w.o.Told == nil {
		return
	}
	w.told = true
	n := Notice{Why: fmt.Sprintf("changes are looked for every %s, since the system gives no events here (%v)", w.o.Every, err)}
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		n.Way = "sysctl fs.inotify.max_user_instances=512"
	case errors.Is(err, syscall.ENOSPC):
		n.Way = "sysctl fs.inotify.max_user_watches=524288"
	}
	w.o.Told(n)
}

// passing tells whether a name is one that editors use for a moment, or a folder that holds no definitions.
func passing(path string) bool {
	base := filepath.Base(path)
	return base == "4913" || base == ".git" || base == "node_modules" || strings.HasSuffix(base, "~") || strings.HasSuffix(base, ".tmp") ||
		strings.Contains(base, "___jb_") || strings.HasPrefix(base, ".#") || strings.HasPrefix(base, ".") && strings.Contains(base[1:], ".sw") // .a.md.swp, but not .swarmrun
}
