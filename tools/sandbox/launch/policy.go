package launch

import "io"

// Arg is the argument by which a copy of the program knows that it is to launch a child.
const Arg = "__launch"

// Policy is what the launching process is told: what to start, and how far it is confined.
type Policy struct {
	Program string
	Argv    []string
	Env     []string
	Dir     string
	Tmp     string
	Drain   int  // milliseconds for what the command leaves behind to end by itself
	Grace   int  // milliseconds between TERM and KILL
	Probe   bool // only try what the kernel can do

	Read    []string
	Write   []string
	Hide    []string
	Keep    []string
	Through []string // folders in what is hidden that are written all the same

	Landlock int  // its ABI; 0 = not used
	User     bool // there is a user namespace of its own, with nobody in it
	UID      int  // who is to be in it
	GID      int
	Mounts   bool // a mount namespace of its own
	Network  bool // an empty network namespace, with Mounts
	Filter   bool // system calls are filtered
}

func (p *Policy) fields() []field {
	return []field{
		{"program", &p.Program}, {"argv", &p.Argv}, {"env", &p.Env}, {"dir", &p.Dir}, {"tmp", &p.Tmp},
		{"drain", &p.Drain}, {"grace", &p.Grace}, {"probe", &p.Probe},
		{"read", &p.Read}, {"write", &p.Write}, {"hide", &p.Hide}, {"keep", &p.Keep}, {"through", &p.Through},
		{"landlock", &p.Landlock}, {"mounts", &p.Mounts}, {"user", &p.User}, {"uid", &p.UID}, {"gid", &p.GID},
		{"network", &p.Network}, {"filter", &p.Filter},
	}
}

// Send writes the policy.
func (p *Policy) Send(w io.Writer) error { return send(w, p.fields()) }

// Receive reads the policy.
func (p *Policy) Receive(r io.Reader) error { return receive(r, p.fields()) }

// Answer is what the launching process says: that the command has started, then how it ended; or why it could not.
type Answer struct {
	Started int // the command's process
	Error   string
	Unable  bool // the kernel would not make namespaces: that is the error
	Ended   bool
	Free    bool // another command may follow
	Exit    int
	Signal  int
}

func (a *Answer) fields() []field {
	return []field{
		{"started", &a.Started}, {"error", &a.Error}, {"unable", &a.Unable}, {"ended", &a.Ended}, {"free", &a.Free},
		{"exit", &a.Exit}, {"signal", &a.Signal},
	}
}

// Send writes the answer.
func (a *Answer) Send(w io.Writer) error { return send(w, a.fields()) }

// Receive reads the next answer.
func (a *Answer) Receive(r io.Reader) error { return receive(r, a.fields()) }
