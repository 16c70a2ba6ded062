package serve

import (
	"context"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxFrame is the longest message that a client may send, in bytes.
const maxFrame = 16 << 20

// Stdio serves one client on two streams until it closes its end or ctx is done. Nothing else may write to out.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	defer s.end()
	session, err := s.mcp.Connect(ctx, &sdk.IOTransport{Reader: ending{in, s.stop}, Writer: keepOpen{out}, MaxLineLength: maxFrame}, nil)
	if err != nil {
		return err
	}
	gone := make(chan error, 1)
	go func() { gone <- session.Wait() }()
	select {
	case <-gone: // a client that goes is no fault
		return nil
	case <-ctx.Done():
		s.end()
		_ = session.Close() // nobody is left to tell
		return context.Cause(ctx)
	}
}

// ending is a stream that is not ours to close and whose end is the client's: what it asked for is cancelled.
type ending struct {
	io.Reader
	ended func()
}

func (e ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err != nil {
		e.ended()
	}
	return n, err
}

func (ending) Close() error { return nil }

// keepOpen is a stream that is not ours to close.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }
