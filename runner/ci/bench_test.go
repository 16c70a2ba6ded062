package ci

import "testing"

// BenchmarkReplay is a replayed case of three turns with two calls of Read.
func BenchmarkReplay(b *testing.B) {
	g, _ := project(b, &reader{}, 50, true)
	run(b, g, &Options{Mode: Record})
	b.ReportAllocs()
	for b.Loop() {
		run(b, g, &Options{Concurrency: 2})
	}
}
