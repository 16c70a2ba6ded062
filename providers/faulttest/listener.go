package faulttest

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// pipeListener is a listener without a network. Its connections block durably in a testing/synctest bubble, which those
// of a real network do not.
type pipeListener struct {
	accepted chan net.Conn
	done     chan struct{}
	once     sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{accepted: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "memory" }

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := newPipe()
	select {
	case l.accepted <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.done:
		return nil, refused()
	}
}

func refused() error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: pipeAddr{}, Err: syscall.ECONNREFUSED}
}

// pipe is one end of a connection that can end as TCP connections do.
type pipe struct {
	net.Conn
	reset *atomic.Bool // of both ends
}

func newPipe() (client, server *pipe) {
	a, b := net.Pipe()
	reset := new(atomic.Bool)
	return &pipe{a, reset}, &pipe{b, reset}
}

// Reset ends the connection so that the other end sees a reset.
func (p *pipe) Reset() {
	p.reset.Store(true)
	_ = p.Close()
}

func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	return n, p.ended("read", err)
}

func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.Conn.Write(b)
	return n, p.ended("write", err)
}

func (p *pipe) ended(op string, err error) error {
	switch {
	case err == nil:
		return nil
	case p.reset.Load():
		return &net.OpError{Op: op, Net: "tcp", Addr: pipeAddr{}, Err: syscall.ECONNRESET}
	case op == "write" && errors.Is(err, io.ErrClosedPipe):
		return &net.OpError{Op: op, Net: "tcp", Addr: pipeAddr{}, Err: syscall.EPIPE}
	}
	return err
}

// reset ends a connection of either listener the hard way.
func reset(c net.Conn) {
	switch c := c.(type) {
	case *pipe:
		c.Reset()
	case *net.TCPConn:
		_ = c.SetLinger(0)
		_ = c.Close()
	default:
		_ = c.Close()
	}
}
