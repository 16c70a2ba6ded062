package watch

import "time"

// pending is what happened since the last change was told.
type pending struct {
	quiet, most time.Duration
	timer       *time.Timer
	first       time.Time
	paths       map[string]bool
	overflow    bool
}

func (p *pending) add(path string) {
	if p.paths == nil {
		p.paths = map[string]bool{}
	}
	p.paths[path] = true
	p.wait()
}

// lost notes that events are missing.
func (p *pending) lost() {
	p.overflow = true
	p.wait()
}

// wait begins the quiet time anew, but for at most most in all.
func (p *pending) wait() {
	now := time.Now()
	if p.first.IsZero() {
		p.first = now
	}
	p.timer.Reset(max(0, min(p.quiet, p.most-now.Sub(p.first))))
}

func (p *pending) take() (paths map[string]bool, lost bool) {
	paths, lost = p.paths, p.overflow
	p.paths, p.overflow, p.first = nil, false, time.Time{}
	return paths, lost
}
