package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// handshake is the version that a session begins with. Many programs end or hang at a question before it, so the newer one is
// tried after it was refused.
const (
	handshake = "2025-11-25"
	newest    = "2026-07-28"
)

// connect starts or calls the server and shakes hands.
func (l *link) connect(ctx context.Context) (*session, error) {
	if len(l.server.Command) == 0 {
		return l.dial(ctx)
	}
	s, err := l.run(ctx, handshake)
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && ctx.Err() == nil {
		if again, second := l.run(ctx, newest); second == nil {
			return again, nil
		}
	}
	return s, err
}

// run starts the program and shakes hands in a version.
func (l *link) run(ctx context.Context, version string) (*session, error) {
	p, transport, err := l.launch(ctx)
	if err != nil {
		return nil, err
	}
	cs, err := l.client().Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		err = l.explain(ctx, p, err)
		_ = p.process.Close() // never fails
		return nil, err
	}
	return &session{cs: cs, program: p, ended: make(chan struct{})}, nil
}

// explain says in our words why a server did not start.
func (l *link) explain(ctx context.Context, p *program, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		text := fmt.Sprintf("no answer in %s", l.server.startTimeout())
		if p != nil {
			text += p.told()
		}
		return errors.New(text)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if p != nil && lost(err) {
		return errors.New("it " + p.fate())
	}
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		brief := *refused
		brief.Message = short(brief.Message, maxMessage)
		return fmt.Errorf("it refused: %w", &brief)
	}
	return errors.New(short(plainly(err), maxMessage))
}

// layers are what the layers of a client say of themselves around the words that matter.
var layers = lazy.MustCompile(`^(calling "[^"]*"|sending "[^"]*"|rejected by transport|(Post|Get) "[^"]*"|dial tcp( [^ ]*)?|connect): `)

// plainly is an error without the layers that it came through.
func plainly(err error) string {
	text := err.Error()
	for {
		rest := layers.Get().ReplaceAllString(text, "")
		rest = strings.TrimSuffix(rest, ": rejected by transport")
		if rest == text {
			return text
		}
		text = rest
	}
}

// lost tells whether an error is that of a connection which is gone.
func lost(err error) bool {
	return errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, io.ErrClosedPipe) || errors.Is(err, errFlood)
}

// client is our side of a session.
func (l *link) client() *sdk.Client {
	o := &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(_ context.Context, r *sdk.ToolListChangedRequest) {
			l.changed(r.Session)
		},
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { l.progress(r.Params) },
		ElicitationHandler:          l.elicit,
	}
	if l.server.Sampling {
		//lint:ignore SA1019 deprecated in the newest version, spoken by all older ones
		o.CreateMessageHandler = l.sample
	}
	return sdk.NewClient(&sdk.Implementation{Name: "swarmrun", Version: cmp.Or(l.options.Version, "dev")}, o)
}
