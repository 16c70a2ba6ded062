package providers

import (
	"context"
	"log/slog"
)

const (
	streamContext = 64       // bytes already given out that stay in view, for names and word beginnings
	streamHold    = 16 << 10 // bytes held back at most
)

// RedactStream redacts a text that comes in pieces. It keeps back an end that could be the beginning of a secret, so a key
// that is split over two pieces is caught. It is for one goroutine.
type RedactStream struct {
	redactor *Redactor
	buf      string
	out      int // bytes of buf that were given out
}

// Stream begins a text that comes in pieces.
func (r *Redactor) Stream() *RedactStream { return &RedactStream{redactor: r} }

// Write takes the next piece and gives out what is safe by now, possibly nothing.
func (s *RedactStream) Write(piece string) string {
	s.buf += piece
	spans, open := s.redactor.scan(s.buf)
	if len(s.buf)-open > streamHold {
		open = len(s.buf)
	}
	return s.give(spans, max(open, s.out))
}

// Flush gives out what was kept back; the text is over.
func (s *RedactStream) Flush() string {
	spans, _ := s.redactor.scan(s.buf)
	out := s.give(spans, len(s.buf))
	s.buf, s.out = "", 0
	return out
}

func (s *RedactStream) give(spans []span, end int) string {
	var within []span
	for _, p := range spans {
		if p.from < end && p.to > s.out {
			within = append(within, span{max(p.from, s.out) - s.out, min(p.to, end) - s.out})
		}
	}
	text := cut(s.buf[s.out:end], within)
	s.buf, s.out = s.buf[max(0, end-streamContext):], min(end, streamContext)
	return text
}

// Handler is a slog.Handler that redacts messages and text attributes before next sees them.
func (r *Redactor) Handler(next slog.Handler) slog.Handler { return &redactHandler{r, next} }

type redactHandler struct {
	redactor *Redactor
	next     slog.Handler
}

func (h *redactHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return h.next.Enabled(ctx, l)
}

func (h *redactHandler) Handle(ctx context.Context, rec slog.Record) error {
	clean := slog.NewRecord(rec.Time, rec.Level, h.redactor.Text(rec.Message), rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h *redactHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return &redactHandler{h.redactor, h.next.WithAttrs(clean)}
}

func (h *redactHandler) WithGroup(name string) slog.Handler {
	return &redactHandler{h.redactor, h.next.WithGroup(name)}
}

func (h *redactHandler) attr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.redactor.Text(v.String()))
	case slog.KindGroup:
		group := make([]slog.Attr, len(v.Group()))
		for i, g := range v.Group() {
			group[i] = h.attr(g)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(group...)}
	case slog.KindAny:
		if err, ok := v.Any().(error); ok {
			return slog.String(a.Key, h.redactor.Text(err.Error()))
		}
		if s, ok := v.Any().(interface{ String() string }); ok {
			return slog.String(a.Key, h.redactor.Text(s.String()))
		}
		return slog.Attr{Key: a.Key, Value: v}
	default:
		return slog.Attr{Key: a.Key, Value: v}
	}
}
