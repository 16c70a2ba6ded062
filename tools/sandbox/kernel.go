package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// Kernel is what the system can do to confine children.
type Kernel struct {
	Landlock   int    // the version of its interface; 0 = there is none
	Namespaces bool   // mounts and network of a child's own
	Filter     bool   // system calls can be filtered
	Why        string // what is missing and why; "" = nothing is

	user bool // namespaces need a user namespace
}

// landlockWhole is the first version that keeps files from being cut as well as from being written.
const landlockWhole = 3

// Probe remembers what the system can do, so that it is tried once. The zero Probe is ready; main has one for the process.
type Probe struct {
	once, tell sync.Once
	kernel     atomic.Pointer[Kernel] // nil = nobody has tried it
}

// Kernel tells what the system can do for children of this Launcher. It starts a process the first time.
func (l Launcher) Kernel() Kernel {
	switch {
	case !launches:
		return Kernel{Why: "this system has no Landlock and no namespaces"}
	case l.Path == "":
		return Kernel{Why: "this program does not know its own file, which is needed to confine children"}
	case l.Probe == nil:
		return l.probe()
	}
	l.Probe.once.Do(func() {
		k := l.probe()
		l.Probe.kernel.Store(&k)
	})
	return *l.Probe.kernel.Load()
}

// assumed is what the system can do as far as that is known, else what nearly all of them can: a command that counts on it
// fails before it starts where that is wrong.
func (l Launcher) assumed() Kernel {
	if !launches || l.Path == "" {
		return l.Kernel()
	}
	if l.Probe != nil {
		if k := l.Probe.kernel.Load(); k != nil {
			return *k
		}
	}
	return expected()
}

// Confines tells whether files may be kept from children.
func (l Launcher) Confines() bool { return l.Mode != Off && l.assumed().Landlock > 0 }

// unable is why a command did not start: the system cannot do what was counted on.
type unable struct{ error }

// counting does something that counts on what the system can do, first on what is assumed and then, where that was wrong, on what
// was found out.
func (l Launcher) counting(on func(Kernel) error) error {
	err := on(l.assumed())
	if errors.As(err, new(unable)) {
		err = on(l.Kernel())
	}
	return err
}

// Fact is one thing that is asked of the sandbox.
type Fact struct {
	What   string // files, hidden, kept, network, sockets; open = what no path names
	Holds  bool
	Text   string // what holds, or why it does not
	Wanted bool   // mode require refuses without it
}

// Facts tells what holds for a child with this access; nothing in mode Off.
func (l Launcher) Facts(a Access) []Fact {
	if l.Mode == Off {
		return nil
	}
	return l.facts(a, l.Kernel())
}

func (l Launcher) facts(a Access, k Kernel) []Fact {
	fact := func(what string, holds, wanted bool, yes, no string) Fact {
		if holds {
			return Fact{what, true, yes, wanted}
		}
		return Fact{what, false, no, wanted}
	}
	noFiles := "the kernel has no Landlock"
	if k.Landlock > 0 {
		noFiles = fmt.Sprintf("the kernel's Landlock is version %d; from %d on files cannot be cut either", k.Landlock, landlockWhole)
	}
	noSpaces := "there are no namespaces for it"
	if k.Why != "" {
		noFiles, noSpaces = noFiles+" ("+k.Why+")", noSpaces+" ("+k.Why+")"
	}
	out := []Fact{fact("files", k.Landlock >= landlockWhole, true,
		"children write only in the agent's directories and a temporary folder, and read only the system and the workspace",
		"children write and read what the user can: "+noFiles)}
	if len(a.Hide) > 0 {
		out = append(out, fact("hidden", k.Namespaces && k.Landlock > 0, true,
			"children do not see what Read is denied", "children can read what Read is denied: "+noSpaces))
	}
	if len(a.Keep) > 0 {
		out = append(out, fact("kept", k.Namespaces && k.Landlock > 0, false,
			"children cannot change definitions, git hooks and what Edit is denied", "children can change definitions, git hooks and what Edit is denied: "+noSpaces))
	}
	if l.offline(a) {
		out = append(out, fact("network", k.Namespaces, true, "children reach no network", "children reach the network: "+noSpaces))
	}
	if !l.Sockets {
		out = append(out, fact("sockets", k.Filter, false,
			"children reach no daemon of this machine through a socket file", "children reach daemons of this machine through socket files"))
	}
	for _, g := range a.Open {
		out = append(out, Fact{What: "open", Text: g.String()})
	}
	return out
}

// Confinement says in one line what holds for a child with this access; "" in mode Off. The error is why it is not started.
func (l Launcher) Confinement(a Access) (string, error) {
	var holds, lacks []string
	for _, f := range l.Facts(a) {
		switch {
		case f.Holds:
			holds = append(holds, f.Text)
		case f.Wanted && l.Mode == Require:
			return "", fmt.Errorf("%w: %s", ErrUnconfined, f.Text)
		case f.What != "open":
			lacks = append(lacks, f.Text)
		}
	}
	return strings.Join(append(lacks, holds...), "; "), nil
}

// say tells once what does not hold, before the first child for which something does not.
func (l Launcher) say(a Access, k Kernel) {
	if l.Tell == nil || l.Probe == nil || l.Mode != Auto && l.Mode != "" {
		return
	}
	var lacks []string
	for _, f := range l.facts(a, k) {
		if !f.Holds && f.What != "open" {
			lacks = append(lacks, f.Text)
		}
	}
	if len(lacks) > 0 {
		l.Probe.tell.Do(func() { l.Tell(strings.Join(lacks, "; ")) })
	}
}
