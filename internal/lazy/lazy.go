package lazy

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled at its first use. It is safe for concurrent use.
type Regexp struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

// MustCompile is [regexp.MustCompile], put off: the first [Regexp.Get] panics where the expression is none.
func MustCompile(expr string) Regexp { return Regexp{expr: expr} }

// Get is the compiled expression.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.expr) })
	return r.re
}

// Value is what New makes, called once, at the first Get. It is safe for concurrent use. Write it as a literal: the compiler
// lays out no variable that a generic function returns.
type Value[T any] struct {
	New  func() T
	once sync.Once
	v    T
}

// Get is the value.
func (v *Value[T]) Get() T {
	v.once.Do(func() { v.v = v.New() })
	return v.v
}
