package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"

	"github.com/swarmrun/swarmrun/tools/sandbox/launch"
)

// launches: children start through a copy of this program that confines them.
const launches = true

// launching is a launching process: a copy of this program that waits for a policy, confines a command by it and looks after
// that.
type launching struct {
	kind launchingKind
	cmd  *exec.Cmd
	conn *net.UnixConn
	gone chan struct{} // closed when the process has ended
}

// newLaunching starts one. It writes itself into its user namespace, since this process may be closed to other ones and its
// children with it. Its environment is its own: nothing that is set for the command changes how it runs. One processor is
// enough for it, and saves it threads.
func newLaunching(kind launchingKind) (*launching, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("socket of a command: %w", err)
	}
	defer theirs.Close()
	p := &launching{kind: kind, conn: ours, gone: make(chan struct{})}
	p.cmd = &exec.Cmd{
		Path: kind.path, Args: []string{"swarmrun", launch.Arg}, Dir: "/", Env: []string{"GOMAXPROCS=1"},
		SysProcAttr: group(), ExtraFiles: []*os.File{theirs},
	}
	if kind.user {
		p.cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWUSER
		p.cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETUID, unix.CAP_SETGID}
	}
	if err := p.cmd.Start(); err != nil {
		ours.Close()
		return nil, fmt.Errorf("start the process that confines commands: %w", err)
	}
	go func() {
		_ = p.cmd.Wait() // what it has to say it says before
		close(p.gone)
	}()
	return p, nil
}

func socketPair() (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	file := os.NewFile(uintptr(fds[0]), "link")
	defer file.Close() // the connection has it again
	theirs = os.NewFile(uintptr(fds[1]), "link")
	conn, err := net.FileConn(file)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}

// hand gives the command's streams to the process. It does not wait.
func (p *launching) hand(streams [3]*os.File) error {
	rights := unix.UnixRights(int(streams[0].Fd()), int(streams[1].Fd()), int(streams[2].Fd()))
	_, _, err := p.conn.WriteMsgUnix([]byte{0}, rights, nil)
	return err
}

// drop ends a process that has no command.
func (p *launching) drop() {
	p.dismiss()
	<-p.gone
}

// dismiss is drop for who cannot wait: the process ends on its own, and leaves nothing.
func (p *launching) dismiss() {
	p.conn.Close()
	_ = p.cmd.Process.Kill() // it may not listen yet
}
