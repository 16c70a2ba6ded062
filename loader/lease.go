package loader

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
)

// leases count the claims on something that ends with the last of them. The count lies in stripes, so that readers on many
// processors do not wait for one another's: a claim is taken and given back in one stripe, chosen by chance. Each stripe
// begins with a claim of the holder; done is called once, when all of them have been drained.
type leases struct {
	stripes []stripe
	open    atomic.Int32 // stripes that are not drained
	done    func() error
}

// stripe is a count of claims, alone in its cache line.
type stripe struct {
	claims atomic.Int64
	_      [56]byte
}

// drained is what a stripe without claims counts from: nothing that is added to it makes it positive again.
const drained = -1 << 62

func newLeases(done func() error) *leases {
	l := &leases{stripes: make([]stripe, min(runtime.GOMAXPROCS(0), 64)), done: done}
	l.open.Store(int32(len(l.stripes)))
	for i := range l.stripes {
		l.stripes[i].claims.Store(1)
	}
	return l
}

// claim takes a claim, and tells where it is to be given back; nil = the end has begun.
func (l *leases) claim() *stripe {
	s := &l.stripes[rand.IntN(len(l.stripes))]
	if s.claims.Add(1) > 0 {
		return s
	}
	return nil
}

// give gives a claim back. Whoever takes the last stripe to zero ends it all: a claim that was taken in between is the last
// one then.
func (l *leases) give(s *stripe) error {
	if s.claims.Add(-1) != 0 || !s.claims.CompareAndSwap(0, drained) || l.open.Add(-1) > 0 {
		return nil
	}
	return l.done()
}

// end gives back what the holder has.
func (l *leases) end() error {
	var err error
	for i := range l.stripes {
		if fault := l.give(&l.stripes[i]); fault != nil {
			err = fault
		}
	}
	return err
}
