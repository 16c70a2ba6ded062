package launch

// Arg is the argument by which a copy of the program knows that it is to launch a child.
const Arg = "__launch"

// Policy is what the launching process is told: what to start, and how far it is confined. It travels as JSON.
type Policy struct {
	Program string   `json:"program"`
	Argv    []string `json:"argv"`
	Dir     string   `json:"dir"`
	Tmp     string   `json:"tmp"`
	Drain   int      `json:"drain"` // milliseconds for what the command leaves behind to end by itself
	Grace   int      `json:"grace"` // milliseconds between TERM and KILL
	Probe   bool     `json:"probe,omitempty"`

	Read    []string `json:"read,omitempty"`
	Write   []string `json:"write,omitempty"`
	Hide    []string `json:"hide,omitempty"`
	Keep    []string `json:"keep,omitempty"`
	Through []string `json:"through,omitempty"` // folders in what is hidden that are written all the same

	Landlock int  `json:"landlock,omitempty"` // its ABI; 0 = not used
	Mounts   bool `json:"mounts,omitempty"`   // there is a mount namespace of its own
	User     bool `json:"user,omitempty"`     // there is a user namespace of its own, with nobody in it
	UID      int  `json:"uid,omitempty"`      // who is to be in it
	GID      int  `json:"gid,omitempty"`
	Network  bool `json:"network,omitempty"` // there is an empty network namespace
	Filter   bool `json:"filter,omitempty"`  // system calls are filtered
}

// Answer is what the launching process says on fd 5: that the command has started, then how it ended; or why it could not.
type Answer struct {
	Started int    `json:"started,omitempty"` // the command's process
	Error   string `json:"error,omitempty"`
	Ended   bool   `json:"ended,omitempty"`
	Exit    int    `json:"exit,omitempty"`
	Signal  int    `json:"signal,omitempty"`
}
