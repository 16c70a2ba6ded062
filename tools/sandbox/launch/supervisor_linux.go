package launch

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	sweepLimit = time.Second          // for processes that got KILL to end
	sweepEvery = 2 * time.Millisecond // between two rounds of KILL
	huntEvery  = 20 * time.Millisecond
)

// supervisor looks after a command and everything that comes of it. It is their subreaper: who loses its parent becomes its
// child, in whatever group or session.
type supervisor struct {
	link    *os.File
	gone    <-chan struct{} // our parent is, or wants us to end
	entered bool            // the user namespace
	unable  bool            // namespaces could not be made
	policy  Policy          // of the command, as what follows
	pid     int
	all     chan struct{} // closed when nobody is left
}

// look waits until the command has ended or is to end, then ends all that is left.
func (s *supervisor) look(asked <-chan os.Signal) (status syscall.WaitStatus) {
	ended := make(chan syscall.WaitStatus, 1)
	s.all = make(chan struct{})
	go s.reap(ended)
	select {
	case status = <-ended:
		if s.left(time.Duration(s.policy.Drain) * time.Millisecond) {
			s.end()
		}
		return status
	case <-s.gone:
	case <-asked:
	}
	s.end()
	select {
	case status = <-ended:
	default:
		status = syscall.WaitStatus(syscall.SIGKILL) // it does not end; the kernel holds it
	}
	return status
}

// reap waits for every child until there is none.
func (s *supervisor) reap(ended chan<- syscall.WaitStatus) {
	defer close(s.all)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return
		case pid == s.pid:
			ended <- status
		}
	}
}

// alone tells whether nobody is left.
func (s *supervisor) alone() bool {
	select {
	case <-s.all:
		return true
	default:
		return false
	}
}

// left waits for the end of all and tells whether somebody is left.
func (s *supervisor) left(grace time.Duration) bool {
	select {
	case <-s.all:
		return false
	case <-time.After(grace):
		return true
	}
}

// end ends everybody: TERM, a moment later KILL.
func (s *supervisor) end() {
	s.signal(syscall.SIGTERM)
	if s.left(time.Duration(s.policy.Grace) * time.Millisecond) {
		s.sweep()
	}
}

// sweep kills until nobody is left: children of who was killed become ours.
func (s *supervisor) sweep() {
	if s.all == nil {
		s.all = make(chan struct{})
		go s.reap(make(chan syscall.WaitStatus, 1))
	}
	for end := time.Now().Add(sweepLimit); time.Now().Before(end); {
		s.signal(syscall.SIGKILL)
		if !s.left(sweepEvery) {
			return
		}
	}
}

// hunt kills for as long as somebody is left, who forks faster than a sweep or is held by the kernel: nobody else finds them.
func (s *supervisor) hunt() {
	for s.left(huntEvery) {
		signalChildren(syscall.SIGKILL) // not the group: with time its number may be another one's
	}
}

// signal reaches the command's group and all children.
func (s *supervisor) signal(sig syscall.Signal) {
	_ = syscall.Kill(-s.pid, sig) // nobody may be left in it
	signalChildren(sig)
}

func signalChildren(sig syscall.Signal) {
	for _, pid := range children() {
		_ = syscall.Kill(pid, sig)
	}
}

// children are the processes whose parent this one is.
func children() (out []int) {
	threads, _ := os.ReadDir("/proc/self/task")
	read := 0
	for _, thread := range threads {
		b, err := os.ReadFile("/proc/self/task/" + thread.Name() + "/children")
		if err != nil {
			continue
		}
		read++
		for _, field := range bytes.Fields(b) {
			if pid, err := strconv.Atoi(string(field)); err == nil {
				out = append(out, pid)
			}
		}
	}
	if read > 0 {
		return out
	}
	return listed(os.Getpid())
}

// listed finds children the long way, where the kernel keeps no list.
func listed(parent int) (out []int) {
	all, _ := os.ReadDir("/proc")
	for _, entry := range all {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		end := bytes.LastIndex(b, []byte(") ")) // a name may hold anything, but the last ) ends it
		fields := bytes.Fields(b[end+1:])
		if len(fields) >= 2 && string(fields[1]) == strconv.Itoa(parent) {
			out = append(out, pid)
		}
	}
	return out
}
