package lazy_test

import (
	"regexp"
	"sync"
	"testing"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// together calls f in some goroutines at once and returns what they got.
func together[T any](f func() T) []T {
	got := make([]T, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = f() })
	}
	wg.Wait()
	return got
}

func TestRegexp(t *testing.T) {
	word := lazy.MustCompile(`^\w+$`)
	got := together(func() *regexp.Regexp { return word.Get() })
	for _, re := range got {
		if re != got[0] || !re.MatchString("a_b") || re.MatchString("a b") {
			t.Errorf("Get: got %v, want one expression of words", re)
		}
	}
}

func TestRegexpBroken(t *testing.T) {
	broken := lazy.MustCompile(`(`)
	defer func() {
		if recover() == nil {
			t.Error("Get of a broken expression: no panic")
		}
	}()
	broken.Get()
}

func TestValue(t *testing.T) {
	made := 0
	v := lazy.Value[int]{New: func() int { made++; return made }}
	if made != 0 {
		t.Error("made before it was asked for")
	}
	for _, got := range together(v.Get) {
		if got != 1 {
			t.Errorf("Get: got the value of call %d, want that of the first", got)
		}
	}
}
