package mutate

// fault is a rule broken on purpose.
type fault struct {
	name  string
	edits []edit
}

// edit replaces the only place where old stands in a file, whose path is from package providers.
type edit struct{ file, old, new string }

// faults are those of the providers' specification, in its order, and some more.
func faults() []fault {
	return []fault{
		{"budget counted after the send", []edit{
			{"attempt.go", "\t} else if e := a.scope.take(); e != nil {\n\t\treturn e\n\t}\n", "\t}\n"},
			{"attempt.go", "\tr := AttemptRecord{", "\t_ = a.scope.take()\n\tr := AttemptRecord{"},
		}},
		{"budget per candidate", []edit{
			{"retry.go", "Attempts: p.Attempts}\n", "Attempts: p.Attempts * len(r.chain.members)}\n"},
			{"retry.go", "r.sends+r.unsent >= r.chain.policy.Attempts", "r.sends+r.unsent >= r.chain.policy.Attempts*len(r.chain.members)"},
		}},
		{"jitter removed", []edit{{"policy.go", "d += time.Duration(u() * float64(p.Jitter))", "_ = u"}}},
		{"hint ignored", []edit{{"policy.go", "\tif hint > d {\n", "\tif hint < 0 {\n"}}},
		{"hint used as a maximum", []edit{{"policy.go", "\tif hint > d {\n", "\tif hint > 0 && hint < d {\n"}}},
		{"a wait longer than the deadline is slept", []edit{{"retry.go", "if d >= r.scope.remaining() {", "if d < 0 {"}}},
		{"auth repeated in the next round", []edit{
			{"retry.go", "\tcase r.chain.policy.advances(e.Kind):\n", "\tcase e.Kind == KindAuth:\n\t\treturn true\n\tcase r.chain.policy.advances(e.Kind):\n"},
		}},
		{"quota treated as rate limit", []edit{
			{"kind.go", "case KindTransport, KindTimeout, KindRateLimit, KindOverloaded, KindServer:", "case KindTransport, KindTimeout, KindRateLimit, KindQuota, KindOverloaded, KindServer:"},
			{"kind.go", "case KindQuota, KindAuth, KindPermission, KindNotFound:", "case KindAuth, KindPermission, KindNotFound:"},
		}},
		{"commit on a comment", []edit{{"internal/wire/stream.go", "\t\tif ev.Comment {\n", "\t\tif ev.Comment {\n\t\t\tx.Attempt.Commit()\n"}}},
		{"commit only on text", []edit{
			{"internal/wire/stream.go", "\t\tcase Data:\n\t\t\tx.Attempt.Commit()\n", "\t\tcase Data:\n\t\t\tif delta != (providers.Delta{}) {\n\t\t\t\tx.Attempt.Commit()\n\t\t\t}\n"},
		}},
		{"terminal marker not required", []edit{
			{"internal/wire/stream.go", "\t\treturn emptyStream()\n\t}\n\treturn &providers.Error{Kind: providers.KindTruncated, Code: \"no_terminal_marker\"}\n", "\t\treturn emptyStream()\n\t}\n\treturn nil\n"},
		}},
		{"ctx not asked after a nil error", []edit{
			{"internal/wire/run.go", "\tif ended := x.Attempt.DoneError(ctx); ended != nil {\n\t\te = ended\n\t}\n", ""},
			{"retry.go", "\tif e := a.DoneError(ctx); e != nil {\n\t\treturn e\n\t}\n\tif err == nil {", "\tif err == nil {"},
		}},
		{"redirects followed", []edit{
			{"internal/wire/tap.go", "resp, err := t.base.RoundTrip(out)", "resp, err := (&http.Client{Transport: t.base}).Do(out)"},
			{"internal/wire/tap.go", "out.GetBody = nil", "out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.Body)), nil }"},
		}},
		{"raw cause in Unwrap", []edit{
			{"error.go", "type Error struct {\n", "type Error struct {\n\tRaw error\n"},
			{"error.go", "func (e *Error) Unwrap() error { return e.Kind.Sentinel() }", "func (e *Error) Unwrap() error { return errors.Join(e.Kind.Sentinel(), e.Raw) }"},
			{"internal/wire/tap.go", "\treturn Classify(x.Provider, resp.StatusCode, resp.Header, body, time.Now())\n",
				"\te := Classify(x.Provider, resp.StatusCode, resp.Header, body, time.Now())\n\te.Raw = errors.New(string(body))\n\treturn e\n"},
		}},
		{"compaction twice", []edit{
			{"../runner/compact.go", "\treturn x.think(ctx, \"model again\", 0)\n",
				"\tif a, f = x.think(ctx, \"model again\", 0); f != nil && f.kind == event.KindContextOverflow {\n\t\treturn x.thinkSmaller(ctx)\n\t}\n\treturn a, f\n"},
		}},
		{"orphan repair twice", []edit{
			{"retry.go", "\tr.req = fixed\n\treturn r.send(ctx, m, true)\n",
				"\tr.req = fixed\n\tif resp, e = r.send(ctx, m, true); e != nil && e.Kind == KindOrphan {\n\t\treturn r.send(ctx, m, true)\n\t}\n\treturn resp, e\n"},
		}},
		{"orphan resend counted in attempts", []edit{{"retry.go", "\t\tif !resend {\n\t\t\tr.sends++\n", "\t\t{\n\t\t\tr.sends++\n"}}},
		{"orphan resend takes a unit", []edit{{"attempt.go", "\tif a.resend {\n", "\tif a.resend && a.sent {\n"}}},
		{"tool arguments not validated", []edit{
			{"internal/wire/calls.go", "\tif err := checkObject(args); err != nil {\n\t\treturn providers.ToolCall{}, err\n\t}\n", ""},
		}},
		{"nested scope opens a fresh budget", []edit{{"scope.go", "\tif outer != nil && (o == nil || !o.Child) {\n", "\tif outer != nil && outer.limit < 0 {\n"}}},
		{"parent cancelled by a child's end", []edit{{"scope.go", "\tif s.owner {\n", "\tif s.scope != nil {\n"}}},
		{"SDK retries left on", []edit{
			{"internal/wire/client.go", "return c.Tap.Send(ctx, x, frame)", "_ = c.Tap.Send(ctx, x, frame); return c.Tap.Send(ctx, x, frame)"},
			{"internal/wire/exchange.go", "\tx.Attempt.Reject(e)\n", ""},
			{"attempt.go", "\tif a.sent {\n\t\treturn ErrSecondSend\n\t}\n", ""},
		}},
		{"max_wait applied to a hint", []edit{{"policy.go", "\tif hint > d {\n\t\td = hint\n", "\tif hint > d {\n\t\td = min(hint, p.MaxWait)\n"}}},

		{"fallback waits", []edit{{"retry.go", "\t\tresp, e := r.try(ctx, m)\n", "\t\ttime.Sleep(time.Millisecond * time.Duration(10*r.sends))\n\t\tresp, e := r.try(ctx, m)\n"}}},
		{"advance after a commit", []edit{{"retry.go", "\tcase e.Terminal || e.Committed:\n\t\treturn false\n", "\tcase e.Committed:\n\t\treturn true\n"}}},
		{"attempt timer runs on after the commit", []edit{{"attempt.go", "\ta.committed = true\n\tif a.timer != nil {\n\t\ta.timer.Stop()\n\t}\n", "\ta.committed = true\n"}}},
		{"comments wind back a strict idle clock", []edit{{"attempt.go", "(!comment || !a.strictIdle)", "a.idle > 0"}}},
		{"deadline stays after the commit", []edit{{"scope.go", "\t\ts.total = s.answer\n", ""}, {"scope.go", "s.timer.Reset(s.answer - time.Since(s.start))", "s.timer.Reset(s.total - time.Since(s.start))"}}},
		{"in-band error before the commit is final", []edit{{"internal/wire/stream.go", "\tif errors.As(err, &inBand) {\n\t\treturn x.failure(err, h)\n", "\tif errors.As(err, &inBand) {\n\t\tx.Attempt.Commit()\n\t\treturn x.failure(err, h)\n"}}},
		{"net/http may send again", []edit{{"internal/wire/tap.go", "\tout.GetBody = nil\n", "\tout.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.Body)), nil }\n\tout.Header.Set(\"Idempotency-Key\", \"1\")\n"},
			{"internal/wire/tap.go", "\tout.Header.Del(\"Idempotency-Key\")\n", ""}}},
		{"half an answer is whole", []edit{{"internal/wire/run.go", "\tresp.Incomplete = true\n", ""}, {"retry.go", "if resp.Incomplete = e != nil; resp.Incomplete {", "if resp.Incomplete {"}}},
	}
}
