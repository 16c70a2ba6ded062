package config

import (
	"fmt"
	"strings"
	"testing"
)

// typicalAgent is a file of the size that public ones have.
func typicalAgent() []byte {
	return []byte("---\nname: reviewer\ndescription: Reviews changes of Go code for errors that tests do not find.\nmodel: sonnet\n" +
		"tools: Read, Grep, Glob, Bash(git diff *)\nmax_turns: 20\npermissions:\n  deny: [\"Read(.env)\"]\n---\n\n# Role\n\n" +
		strings.Repeat("You look at one change at a time and say what is wrong with it, and where.\n", 40))
}

func BenchmarkReadAgent(b *testing.B) {
	src := typicalAgent()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if a, _, ds := ReadAgent(src, "agents/reviewer.md", Workspace); a == nil {
			b.Fatal(ds)
		}
	}
}

// BenchmarkReadRepaired has a file of the kind that needs repair B.
func BenchmarkReadRepaired(b *testing.B) {
	src := []byte("---\nname: helper\ndescription: Use it when asked. For example:\n\n<example>\nContext: late night\nuser: \"hi\"\n</example>\nmodel: sonnet\n---\nYou help.\n")
	b.ReportAllocs()
	for b.Loop() {
		if a, _, ds := ReadAgent(src, "agents/helper.md", FromClaude); a == nil {
			b.Fatal(ds)
		}
	}
}

func BenchmarkReadSettings(b *testing.B) {
	var src strings.Builder
	src.WriteString("models:\n")
	for i := range 100 {
		fmt.Fprintf(&src, "  m%d: [openai/gpt-%d, anthropic/c-%d]\n", i, i, i)
	}
	in := workspace(src.String())
	b.ReportAllocs()
	for b.Loop() {
		if _, ds := ReadSettings(in); len(ds) > 0 {
			b.Fatal(ds)
		}
	}
}

// BenchmarkReadFullSettings has the settings of the guide.
func BenchmarkReadFullSettings(b *testing.B) {
	in := workspace(fullSettings)
	in.Env = []string{"OPENAI_API_KEY=sk-1", "HOME=/home/u", "SWARMRUN_RETRY__DEADLINE=60"}
	b.ReportAllocs()
	for b.Loop() {
		if _, ds := ReadSettings(in); len(ds) > 0 {
			b.Fatal(ds)
		}
	}
}
