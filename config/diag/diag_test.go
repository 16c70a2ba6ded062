package diag

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSort(t *testing.T) {
	a := New("W-BODY-EMPTY", At("a.md", 2, 1, 3), "empty")
	b := New("E-YAML", At("a.md", 2, 1, 3), "broken")
	c := New("E-YAML", At("a.md", 10, 1, 3), "broken")
	d := New("E-YAML", At("B.md", 1, 1, 3), "broken")
	got := List{c, a, b, d, a, c}.Sort()
	if diff := cmp.Diff(List{d, b, a, c}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCounts(t *testing.T) {
	l := List{New("E-YAML", Range{}, "x"), New("W-STALE", Range{}, "x"), New("L-SKILL-LONG", Range{}, "x"), New("I-DOC", Range{}, "x")}
	if diff := cmp.Diff(Counts{Error: 1, Warning: 2, Info: 1}, l.Counts()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !l.HasErrors() || l[1:].HasErrors() {
		t.Error("HasErrors counts something else than errors")
	}
}

func TestNotesAreNotShared(t *testing.T) {
	base := New("E-YAML-DUPKEY", Range{}, "twice").Note(Range{}, "first")
	a, b := base.Note(Range{}, "a"), base.Note(Range{}, "b")
	if a.Notes[1].Text != "a" || b.Notes[1].Text != "b" {
		t.Errorf("notes of one finding are those of another: %v, %v", a.Notes, b.Notes)
	}
}

func TestListError(t *testing.T) {
	first := New("E-YAML", At("a.md", 3, 7, 1), "broken\x1b[2J\nforged")
	tests := []struct {
		name string
		list List
		want string
	}{
		{"none", List{New("W-STALE", Range{}, "x")}, "definitions are invalid"},
		{"one", List{New("W-STALE", Range{}, "x"), first}, "a.md:3:7: error[E-YAML]: broken␛[2J␊forged"},
		{"more", List{first, first, first}, "a.md:3:7: error[E-YAML]: broken␛[2J␊forged (and 2 more)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (&ListError{tt.list}).Error(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
