package tools

import (
	"reflect"
	"sync"
)

// State holds one value per type for a conversation; it outlives a reload. The zero State is empty and ready, and safe for
// concurrent use.
type State struct {
	mu     sync.Mutex
	values map[reflect.Type]any
}

// Of returns the conversation's T, made at first use. T guards itself. A nil State gives a fresh T each time.
func Of[T any](s *State) *T {
	if s == nil {
		return new(T)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := reflect.TypeFor[T]()
	if v, ok := s.values[key]; ok {
		return v.(*T)
	}
	if s.values == nil {
		s.values = map[reflect.Type]any{}
	}
	v := new(T)
	s.values[key] = v
	return v
}
