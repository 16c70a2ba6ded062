package config

import (
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
)

// retryTable is a retry block: how often, how long and how a model call is tried again.
var retryTable = lazyTable[Retry]{New: func() *table[Retry] {
	total := bounds{low: time.Second, high: 600 * time.Second}
	return newTable(
		value("preset", word(nil, "swarmsdk-v2"), func(r *Retry) *Value[string] { return &r.Preset }).
			like("swarmsdk-v2").means("settings that hold where this block says nothing else"),
		value("attempts", count(1, 20), func(r *Retry) *Value[int] { return &r.Attempts }).
			or("4").like("3").means("sends per call, over all candidates of a chain together"),
		value("deadline", span(total), func(r *Retry) *Value[time.Duration] { return &r.Deadline }).
			or("90s").like("60s").means("sends, waits and reading up to the commit of a stream, of an agent in front"),
		value("child_deadline", span(total), func(r *Retry) *Value[time.Duration] { return &r.ChildDeadline }).
			or("180s").like("120s").means("the same of an agent that another one called"),
		value("answer_deadline", span(bounds{low: time.Second, high: 3600 * time.Second}), func(r *Retry) *Value[time.Duration] { return &r.AnswerDeadline }).
			or("600s").like("900s").means("the whole of a stream that has committed; not below deadline"),
		value("attempt_timeout", autoSpan(), func(r *Retry) *Value[time.Duration] { return &r.AttemptTimeout }).
			or("auto").like("auto").means("one send up to the commit"),
		value("idle_timeout", span(bounds{above: true}), func(r *Retry) *Value[time.Duration] { return &r.IdleTimeout }).
			or("60s").like("30s").means("gap between two pieces of data of a stream"),
		value("strict_idle", boolean(), func(r *Retry) *Value[bool] { return &r.StrictIdle }).
			or("false").like("true").means("comments of a stream do not count as data"),
		value("backoff", word(nil, "exponential", "fixed"), func(r *Retry) *Value[string] { return &r.Backoff }).
			or("exponential").like("fixed").means("how waits grow"),
		value("base", span(bounds{}), func(r *Retry) *Value[time.Duration] { return &r.Base }).
			or("1s").like("2s").means("the first wait"),
		value("max_wait", span(bounds{}), func(r *Retry) *Value[time.Duration] { return &r.MaxWait }).
			or("60s").like("30s").means("the longest wait of our own; not below base"),
		value("jitter", span(bounds{}), func(r *Retry) *Value[time.Duration] { return &r.Jitter }).
			or("1s").like("0s").means("a random addition to each wait, at most this"),
		value("fallback_on", kinds("content_filter"), func(r *Retry) *Value[[]Ref] { return &r.FallbackOn }).
			or("[]").like("[content_filter]").means("more kinds of failure after which the next model of a chain is asked"),
	)
}}

// autoSpan is a duration, or auto, which is 0.
func autoSpan() shape[time.Duration] {
	s := span(bounds{above: true})
	return shape[time.Duration]{
		words: "auto, or " + s.words,
		schema: func() schema {
			alternatives := s.schema()["anyOf"].([]schema)
			return schema{"anyOf": append(alternatives, schema{"const": "auto"})}
		},
		read: func(d *decoder, n *yaml.Node) (time.Duration, bool) {
			if n.Value == "auto" {
				return 0, true
			}
			return s.read(d, n)
		},
	}
}

// kinds is a list of some of a few words.
func kinds(words ...string) shape[[]Ref] {
	s := list("list of "+strings.Join(words, ", "), false, false)
	one := word(nil, words...)
	s.schema = func() schema { return schema{"type": "array", "items": one.schema()} }
	read := s.read
	s.read = func(d *decoder, n *yaml.Node) ([]Ref, bool) {
		refs, ok := read(d, n)
		for _, r := range refs {
			if _, known := one.read(d, &yaml.Node{Kind: yaml.ScalarNode, Value: r.V, Line: int(r.At.Start.Line), Column: int(r.At.Start.Column)}); !known {
				ok = false
			}
		}
		return refs, ok
	}
	return s
}

// related checks what the values of a block say about each other. With defaults, absent ones count as their defaults; a
// block that is laid over another one can only be held to what it says itself.
func (r *Retry) related(defaults bool) (ds diag.List) {
	notBelow := func(name string, v Value[time.Duration], lowName string, low Value[time.Duration], def time.Duration) {
		if least := low.Or(def); v.Set() && (defaults || low.Set()) && v.V < least {
			ds.Add(diag.New("E-VALUE-RANGE", v.At, "%s is shorter than %s (%s)", name, lowName, seconds(least)).
				Suggest("allowed: %s or more", seconds(least)))
		}
	}
	notBelow("answer_deadline", r.AnswerDeadline, "deadline", r.Deadline, 90*time.Second)
	notBelow("max_wait", r.MaxWait, "base", r.Base, time.Second)
	return ds
}
