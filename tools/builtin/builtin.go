package builtin

import (
	"encoding/json"
	"os"
	"os/exec"
	"time"

	"github.com/swarmrun/swarmrun/tools"
	"github.com/swarmrun/swarmrun/tools/sandbox"
)

// Options is what the tools need of the process. The zero Options is the real thing.
type Options struct {
	Clock tools.Clock // of the cache of pages; nil = time.Now
	Home  string      // what ~ stands for; "" = the home folder of the person
	// Launcher starts the commands of Bash and the ripgrep of Grep.
	Launcher sandbox.Launcher
	// LookPath finds ripgrep; nil = exec.LookPath. Where it finds none Grep searches by itself, with the same answers.
	LookPath func(name string) (string, error)
	Network  Network // of WebFetch
}

// New returns all built-in tools. They are safe for concurrent use and hold nothing of a run.
func New(o *Options) []tools.Tool {
	if o == nil {
		o = &Options{}
	}
	now := o.Clock
	if now == nil {
		now = time.Now
	}
	p := paths{home: o.Home}
	if p.home == "" {
		p.home, _ = os.UserHomeDir() // unknown: paths with ~ are refused with that reason
	}
	rg := ripgrep{launcher: o.Launcher, lookPath: o.LookPath}
	rg.launcher.Mode = sandbox.Off // it is given its options and runs nothing; what it finds is filtered
	if rg.lookPath == nil {
		rg.lookPath = exec.LookPath
	}
	f := &files{paths: p}
	return []tools.Tool{
		newRead(p),
		newWrite(f),
		newEdit(f),
		newMultiEdit(f),
		newGlob(p),
		newGrep(p, rg),
		newBash(o.Launcher),
		newThink(),
		newClock(),
		newTodoWrite(),
		newReport(),
		newWebFetch(&web{client: o.Network.client(), cache: &webCache{now: now}}),
	}
}

func spec(name, description, schema string, readOnly bool) tools.Spec {
	return tools.NewSpec(name, description, json.RawMessage(schema), readOnly)
}
