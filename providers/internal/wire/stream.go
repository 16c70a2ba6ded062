package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/swarmrun/swarmrun/providers"
)

// stream decodes a streamed answer and hands its text on piece by piece; nil when its terminal marker came.
func (x *Exchange) stream(ctx context.Context, resp *http.Response, head []byte, room *buffers) *providers.Error {
	var src io.Reader = &timedBody{body: resp.Body, attempt: x.Attempt}
	if len(head) > 0 {
		src = io.MultiReader(bytes.NewReader(head), src)
	}
	events := NewEventReader(src, room.get(firstBuffer))
	defer func() { room.put(events.buf) }()
	for {
		ev, err := events.Next()
		if err != nil {
			return x.ended(err)
		}
		x.Attempt.Progress(ev.Comment)
		if ev.Comment {
			continue
		}
		signal, delta, err := x.Decoder.Event(ev.Name, ev.Data)
		if err != nil {
			return x.broken(err, ev, resp.Header)
		}
		switch signal {
		case Terminal:
			if !x.Attempt.Committed() {
				return emptyStream()
			}
			return nil
		case Data:
			x.Attempt.Commit()
		}
		if delta != (providers.Delta{}) && !x.publish(ctx, delta) {
			return Connection(ctx.Err())
		}
	}
}

// ended is a stream that stops without its marker.
func (x *Exchange) ended(err error) *providers.Error {
	switch {
	case errors.Is(err, ErrTooLong):
		x.Attempt.Commit()
		return Contract("event_too_long")
	case err != io.EOF:
		return Connection(err)
	case !x.Attempt.Committed():
		return emptyStream()
	}
	return &providers.Error{Kind: providers.KindTruncated, Code: "no_terminal_marker"}
}

// broken is an event that holds an error or makes no sense. An error envelope does not commit, malformed data does.
func (x *Exchange) broken(err error, ev Event, h http.Header) *providers.Error {
	var inBand *InBandError
	if errors.As(err, &inBand) {
		return x.failure(err, h)
	}
	x.Attempt.Commit()
	if ev.Partial {
		return &providers.Error{Kind: providers.KindTruncated, Code: "no_terminal_marker"}
	}
	return x.failure(err, h)
}

func emptyStream() *providers.Error {
	return &providers.Error{Kind: providers.KindServer, Status: http.StatusOK, Code: "empty_stream"}
}

func (x *Exchange) publish(ctx context.Context, d providers.Delta) bool {
	if x.deltas == nil {
		return true
	}
	select {
	case x.deltas <- d:
		return true
	case <-ctx.Done():
		return false
	}
}

// timedBody runs the attempt's idle clock while it waits for bytes.
type timedBody struct {
	body    io.Reader
	attempt *providers.Attempt
}

func (b *timedBody) Read(p []byte) (int, error) {
	b.attempt.Waiting()
	n, err := b.body.Read(p)
	b.attempt.Received()
	return n, err
}
