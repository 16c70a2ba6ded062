package loader

import (
	"os"
	"time"
)

// print is what the system tells of a file without reading it. Two equal prints are the same content, unless the file was
// written while it was looked at: see same.
type print struct {
	size              int64
	modified, changed int64 // nanoseconds
	device, node      uint64
	taken             int64 // when it was looked at
	known             bool
}

// settling is how long after a change a file may still change without its times telling: clocks of file systems tick slowly.
const settling = 100 * time.Millisecond

// look takes the print of a file; the zero print is like no other.
func look(path string) print {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return print{}
	}
	p := print{size: fi.Size(), modified: fi.ModTime().UnixNano(), taken: time.Now().UnixNano()}
	p.identify(fi)
	return p
}

// same tells whether a later print is of the same content. A file that changed shortly before it was looked at may have
// changed once more since, so it is read again.
func (p print) same(later print) bool {
	if !p.known || !later.known || p.taken-max(p.changed, p.modified) < int64(settling) {
		return false
	}
	later.taken = p.taken
	return p == later
}
