package sandbox

// Access is what a child may do beyond the base policy: reading the system and the workspace, writing a temporary folder of
// its own. The zero Access adds nothing.
type Access struct {
	Write   []string // absolute paths that it may change besides the temporary folder
	Hide    []string // absolute paths that it must not read
	Network string   // "none" or "host"; "" = as the Launcher says
}
