package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/swarmrun/swarmrun/internal/wholefile"
	"github.com/swarmrun/swarmrun/tools"
)

// maxPins bounds the tools of a server that are known. Their file stays below maxListing, so that no server can have it forgotten by
// naming its tools anew in every run.
const maxPins = 4096

// pins are the words by which a server described its tools: when a person last let one be called, or first saw it, and in the
// last run. A server that describes a tool otherwise later does not keep the approval that the old words had.
type pins struct {
	mu   sync.Mutex
	dir  string // "" = nothing is kept
	name string
	by   map[string]pin // by the server's names of tools
	lost bool           // what was known cannot be read: nothing counts as approved
}

type pin struct {
	Approved string `json:"approved"`
	Seen     string `json:"seen"`
}

// digest is a short name for all that a model is told of a tool.
func (r *remote) digest() string {
	sum := sha256.Sum256([]byte(r.Description + "\x00" + string(r.Schema)))
	return hex.EncodeToString(sum[:8])
}

// pinned reads what is known of the tools of a server.
func (o *Options) pinned(key string) *pins {
	p := &pins{dir: o.Cache, name: key + ".pins.json", by: map[string]pin{}}
	if p.dir == "" {
		return p
	}
	data, err := wholefile.Read(filepath.Join(p.dir, p.name), maxListing)
	if errors.Is(err, fs.ErrNotExist) {
		return p
	}
	if err != nil || json.Unmarshal(data, &p.by) != nil || p.by == nil {
		p.by, p.lost = map[string]pin{}, true
	}
	return p
}

// see compares a list with what is known, and gives the tools that are described otherwise than when they were approved, and
// those of them that are so since the last run.
func (p *pins) see(l *listing) (renewed map[string]bool, news []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	renewed = map[string]bool{}
	changed := false
	for i := range l.Tools {
		r := &l.Tools[i]
		now := r.digest()
		was, known := p.by[r.Name]
		switch {
		case !known && len(p.by) >= maxPins:
			renewed[r.Name] = true
			continue
		case !known && p.lost:
			was.Seen = now
		case !known:
			was = pin{now, now}
		case was.Seen != now:
			news = append(news, r.Name)
			was.Seen = now
		}
		renewed[r.Name] = was.Approved != now
		if p.by[r.Name] != was {
			p.by[r.Name], changed = was, true
		}
	}
	if changed {
		p.keep()
	}
	return renewed, news
}

// approve notes that a person let a tool be called as it is described now.
func (p *pins) approve(r *remote, renewed map[string]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	renewed[r.Name] = false
	p.by[r.Name] = pin{r.digest(), r.digest()}
	p.keep()
}

// keep stores the pins. Where that fails they are what they were, and a person is asked once more.
func (p *pins) keep() {
	if p.dir == "" {
		return
	}
	if data, err := json.Marshal(p.by); err == nil {
		_ = wholefile.ReplacePrivate(filepath.Join(p.dir, p.name), data)
	}
}

// compare tells of tools that are described otherwise than in the run before.
func (o *opened) compare(ctx context.Context) {
	o.pins = o.use.options.pinned(o.link.key)
	var news []string
	o.renewed, news = o.pins.see(o.listing)
	if len(news) == 0 {
		return
	}
	for i, n := range news {
		news[i] = short(n, 80)
	}
	tools.Tell(ctx, tools.Warning{Code: "mcp_tool_changed", Message: fmt.Sprintf(
		"the MCP server %s describes %s otherwise than before; what you allowed for good does not count for that until you are asked again", o.use.Server.Name, strings.Join(news, ", "))})
}

// Renewed tells whether the server describes the tool otherwise than when a person approved it.
func (t *tool) Renewed() bool {
	t.pins.mu.Lock()
	defer t.pins.mu.Unlock()
	return t.renewed[t.remote]
}

// Accept notes that a person approved the tool as it is.
func (t *tool) Accept() {
	for i := range t.listing.Tools {
		if r := &t.listing.Tools[i]; r.Name == t.remote {
			t.pins.approve(r, t.renewed)
		}
	}
}
