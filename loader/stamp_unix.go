//go:build unix

package loader

import (
	"os"
	"syscall"
)

// identify adds what cannot be set by a program: the file's number and the time of its last change of any kind.
func (p *stamp) identify(fi os.FileInfo) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	p.device, p.node, p.changed, p.known = uint64(st.Dev), uint64(st.Ino), changedAt(st), true
}
