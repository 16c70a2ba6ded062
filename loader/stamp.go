package loader

import (
	"os"
	"time"
)

// stamp is what the system tells of a file without reading it. Two equal stamps are the same content, unless the file was
// written while it was looked at: see same.
type stamp struct {
	size              int64
	modified, changed int64 // nanoseconds
	device, node      uint64
	taken             int64 // when it was looked at
	known             bool
}

// settling is how long after a change a file may still change without its times telling: clocks of file systems tick slowly.
const settling = 100 * time.Millisecond

// look takes the stamp of a file; the zero stamp is like no other.
func look(path string) stamp {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return stamp{}
	}
	p := stamp{size: fi.Size(), modified: fi.ModTime().UnixNano(), taken: time.Now().UnixNano()}
	p.identify(fi)
	return p
}

// same tells whether a later stamp is of the same content. A file that changed shortly before it was looked at may have
// changed once more since, so it is read again.
func (p stamp) same(later stamp) bool {
	if !p.known || !later.known || p.taken-max(p.changed, p.modified) < int64(settling) {
		return false
	}
	later.taken = p.taken
	return p == later
}
