package mcp

import (
	"context"
	"maps"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// changed asks for the list again after the server said that it changed. Changes that come together are asked for once, and one
// list is asked for at a time, so that no old one comes behind a new one.
func (l *link) changed(cs *sdk.ClientSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.live == nil || l.live.cs != cs {
		return
	}
	if l.stale = true; l.asking {
		return
	}
	l.asking = true
	l.watchers.Add(1)
	go func() {
		defer l.watchers.Done()
		for l.stillStale() {
			select {
			case <-time.After(settle):
			case <-l.quit:
				return
			}
			l.relist()
		}
	}()
}

// stillStale tells whether the list has to be asked for once more.
func (l *link) stillStale() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking = l.stale
	return l.stale
}

// relist asks the server for its list. What changes from now on makes that stale. One that was started anew told it already.
func (l *link) relist() {
	l.mu.Lock()
	l.stale = false
	s := l.live
	l.mu.Unlock()
	if s == nil {
		return
	}
	ctx, cancel := l.life()
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, l.server.timeout())
	defer stop()
	if known, err := list(ctx, s.cs); err == nil {
		l.learn(known)
	}
}

// learn takes a new list over and tells what is different.
func (l *link) learn(known *listing) {
	l.mu.Lock()
	before := map[string]string{}
	if l.known != nil {
		before = l.known.digests()
	}
	l.known = known
	l.mu.Unlock()
	e := ToolsChanged{ServerName: l.server.Name, Added: []string{}, Removed: []string{}, Changed: []string{}}
	after := known.digests()
	for _, n := range slices.Sorted(maps.Keys(after)) {
		switch was, ok := before[n]; {
		case !ok:
			e.Added = append(e.Added, l.server.ToolName(n))
		case was != after[n]:
			e.Changed = append(e.Changed, l.server.ToolName(n))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[n]; !ok {
			e.Removed = append(e.Removed, l.server.ToolName(n))
		}
	}
	if len(e.Added)+len(e.Removed)+len(e.Changed) == 0 {
		return
	}
	_ = l.options.keep(l.key, known)
	l.tell(e)
}
