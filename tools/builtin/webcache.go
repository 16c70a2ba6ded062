package builtin

import (
	"sync"
	"time"

	"github.com/swarmrun/swarmrun/tools"
)

// Bounds of the cache of pages.
const (
	cacheAge   = 15 * time.Minute
	cachePages = 64
	cacheBytes = 16 << 20
)

// webCache keeps pages by address, the newest ones. Pages are fetched without cookies or keys, so all runs may share them.
type webCache struct {
	now tools.Clock

	mu    sync.Mutex
	pages []cached // oldest first
	bytes int
}

type cached struct {
	address string
	at      time.Time
	page    webPage
}

func (c *webCache) get(address string) (webPage, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trim()
	for _, p := range c.pages {
		if p.address == address {
			return p.page, true
		}
	}
	return webPage{}, false
}

func (c *webCache) put(address string, p webPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages = append(c.pages, cached{address, c.now(), p})
	c.bytes += len(p.text)
	c.trim()
}

// trim drops what is too old or too much.
func (c *webCache) trim() {
	n := 0
	for n < len(c.pages) && (c.now().Sub(c.pages[n].at) >= cacheAge || len(c.pages)-n > cachePages || c.bytes > cacheBytes) {
		c.bytes -= len(c.pages[n].page.text)
		n++
	}
	c.pages = append([]cached(nil), c.pages[n:]...)
}
