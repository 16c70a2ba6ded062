package shell

// Where the parser and a shell would read a text differently, the script is opaque.

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// delimiter of a here-document: plain, or in quotes of one kind.
var delimiter = lazy.MustCompile("^(\\\\?[A-Za-z0-9_]+|'[A-Za-z0-9_ -]+'|\"[A-Za-z0-9_ -]+\")$")

// hereDocument sees to it that the shell ends the document where the parser does. Of a delimiter in odd quotes they may
// differ; and where it has none, a shell joins lines that end in a backslash before it looks for the delimiter.
func (s *Script) hereDocument(r *syntax.Redirect, line string) {
	from, to := r.Word.Pos().Offset(), r.Word.End().Offset()
	switch written := line[from:to]; {
	case !delimiter.Get().MatchString(written):
		s.veil("it has a here-document with an odd delimiter")
	case !strings.ContainsAny(written, `'"\`) && strings.Contains(line[to:], "\\\n"):
		s.veil("it has a here-document, and a line that goes on after a backslash")
	}
}

// coprocess: only a compound command has a name before it. Otherwise what the parser takes for the name is the command.
func (s *Script) coprocess(c *syntax.CoprocClause, depth int) {
	if c.Name == nil {
		return
	}
	switch c.Stmt.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause:
		s.set(word(c.Name), depth)
	default:
		s.veil("it has a coprocess whose command is not plain")
	}
}
