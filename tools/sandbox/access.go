package sandbox

// Access is what a child may do beyond the base policy, which is to read the system and to write a temporary folder of its
// own. All paths are absolute. What must not be read or written wins over what may be.
type Access struct {
	Read    []string // may be read
	Write   []string // may be read and changed
	Hide    []string // must not be read: files and folders that exist
	Keep    []string // must not be changed: files and folders that exist
	Network string   // none or host; "" = as the Launcher says
	Open    []Gap    // what should be hidden or kept and cannot be named by a path
}

// Gap is something that should be hidden or kept and cannot be.
type Gap struct {
	Name   string // a path, a pattern or a rule
	Absent bool   // it does not exist yet and can be made
	Why    string // otherwise
}

// String says it in words.
func (g Gap) String() string {
	if g.Absent {
		return g.Name + " does not exist yet and can be made"
	}
	return g.Name + " " + g.Why
}
