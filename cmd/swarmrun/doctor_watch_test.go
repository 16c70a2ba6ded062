package main

import (
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckWatch(t *testing.T) {
	limits := func(string) ([]byte, error) { return []byte("8\n"), nil }
	none := func(string) ([]byte, error) { return nil, fs.ErrNotExist }
	for _, tt := range []struct {
		why, way string
		read     func(string) ([]byte, error)
		want     check
	}{
		{"", "", limits, check{"changes", "ok", "the system tells when files change (max_user_watches 8, max_user_instances 8)", ""}},
		{"", "", none, check{"changes", "ok", "the system tells when files change", ""}},
		{"changes are looked for every 1s (no space)", "sysctl fs.inotify.max_user_watches=524288", limits,
			check{"changes", "warn", "changes are looked for every 1s (no space)", "sysctl fs.inotify.max_user_watches=524288"}},
		{"changes are looked for every 1s, since this is a network drive", "", limits, check{"changes", "warn", "changes are looked for every 1s, since this is a network drive", ""}},
	} {
		if diff := cmp.Diff(tt.want, checkWatch(tt.why, tt.way, tt.read)); diff != "" {
			t.Error(diff)
		}
	}
}
