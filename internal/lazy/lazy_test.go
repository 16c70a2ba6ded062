package lazy_test

import (
	"regexp"
	"sync"
	"testing"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

func TestGet(t *testing.T) {
	word := lazy.MustCompile(`^\w+$`)
	var wg sync.WaitGroup
	got := make([]*regexp.Regexp, 8)
	for i := range got {
		wg.Go(func() { got[i] = word.Get() })
	}
	wg.Wait()
	for _, re := range got {
		if re != got[0] || !re.MatchString("a_b") || re.MatchString("a b") {
			t.Errorf("Get: got %v, want one expression of words", re)
		}
	}
}

func TestGetBroken(t *testing.T) {
	broken := lazy.MustCompile(`(`)
	defer func() {
		if recover() == nil {
			t.Error("Get of a broken expression: no panic")
		}
	}()
	broken.Get()
}
