package launch

import (
	"io"
	"syscall"
)

// link is the socket to the process that has the command started: the command's streams and the policy come from there, the
// answers go there. Its end is that of the process, however that happened, or its wish that the command ends.
const link = 3

func closeAll(fds []uintptr) {
	for _, fd := range fds {
		_ = syscall.Close(int(fd))
	}
}

// receiveStreams takes over the command's standard input, output and error. They come with the first byte.
func receiveStreams() ([]uintptr, error) {
	control := make([]byte, syscall.CmsgSpace(3*4))
	n, size, _, _, err := syscall.Recvmsg(link, make([]byte, 1), control, syscall.MSG_CMSG_CLOEXEC)
	for err == syscall.EINTR {
		n, size, _, _, err = syscall.Recvmsg(link, make([]byte, 1), control, syscall.MSG_CMSG_CLOEXEC)
	}
	if err != nil {
		return nil, err
	}
	if n == 0 {
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
func (s *supervisor) unwanted() bool {
	n, _, err := syscall.Recvfrom(int(s.link.Fd()), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return err == nil && n == 0
}
