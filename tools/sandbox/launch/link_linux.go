package launch

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// link is the socket to the process that has commands started: their streams and policies come from there, the answers go
// there. Its end is that of the process, however that happened, or its wish that the command ends.
const link = 3

// task is a command to be started, or a trial of what the kernel can do.
type task struct {
	streams []uintptr
	policy  Policy
}

// inbox is what comes through the link.
type inbox struct {
	tasks chan task     // closed at the end of the link
	gone  chan struct{} // the same for who has taken a task
	err   error         // what came was no task; read after tasks
}

// receiveTasks reads the link to its end. The next command comes when the last one is done, so that no more wait than one and a
// trial before it.
func receiveTasks(from *os.File) *inbox {
	in := &inbox{tasks: make(chan task, 2), gone: make(chan struct{})}
	go func() {
		defer close(in.tasks)
		defer close(in.gone)
		for {
			var t task
			var err error
			if t.streams, err = receiveStreams(from); err == io.EOF {
				return
			}
			if err == nil {
				err = t.policy.Receive(from)
			}
			if err == nil && len(in.tasks) < cap(in.tasks) {
				in.tasks <- t
				continue
			}
			in.err = errors.New("this command is for swarmrun itself, which starts it for its children")
			return
		}
	}()
	return in
}

func closeAll(fds []uintptr) {
	for _, fd := range fds {
		_ = syscall.Close(int(fd))
	}
}

// receiveStreams takes over the command's standard input, output and error. They come with the first byte.
func receiveStreams(from *os.File) ([]uintptr, error) {
	conn, err := from.SyscallConn()
	if err != nil {
		return nil, err
	}
	control := make([]byte, syscall.CmsgSpace(3*4))
	var n, size int
	var fault error
	err = conn.Read(func(fd uintptr) bool {
		for fault = syscall.EINTR; fault == syscall.EINTR; {
			n, size, _, _, fault = syscall.Recvmsg(int(fd), make([]byte, 1), control, syscall.MSG_CMSG_CLOEXEC)
		}
		return fault != syscall.EAGAIN
	})
	switch {
	case err != nil:
		return nil, err
	case fault != nil:
		return nil, fault
	case n == 0:
		return nil, io.EOF
	}
	messages, err := syscall.ParseSocketControlMessage(control[:size])
	if err != nil || len(messages) != 1 {
		return nil, errMessage
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 3 {
		return nil, errMessage
	}
	return []uintptr{uintptr(fds[0]), uintptr(fds[1]), uintptr(fds[2])}, nil
}

// unwanted tells whether the other side wishes no more that the command runs, or is gone.
func (s *supervisor) unwanted() (gone bool) {
	conn, err := s.link.SyscallConn()
	if err != nil {
		return false
	}
	_ = conn.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		gone = err == nil && n == 0
	})
	return gone
}
