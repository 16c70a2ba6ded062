package tools

import (
	"context"
	"time"
)

// Commander is a Tool that runs command lines, such as Bash. What runs a command that stands in a text, such as a skill's,
// asks the rules about a call of the tool and then calls Output for the bare text.
type Commander interface {
	Tool
	// Output runs a command line and gives what it wrote, errors merged into it, and its exit code. The error is why it did not
	// end by itself.
	Output(ctx context.Context, c *Call, command string, limit time.Duration) (text string, exit int, err error)
}
