package archtest

// module is the import path of the project.
const module = "github.com/swarmrun/swarmrun"

// rung is a line of packages: each may import what stands in a lower rung, and what stands before it in its own.
type rung struct {
	name     string
	packages []string
}

// rungs is the whole project, lowest first. A package that is in no rung fails: give it a line where it belongs.
//
// Inside a family the order says which way the arrows go: parts first (the root imports them), then the root, then the
// plug-ins (they import the root).
func rungs() []rung {
	return []rung{
		{"0 foundations", []string{
			"internal/jsontext",
			"internal/lazy",
			"internal/printable",
			"config/diag",
			"internal/dag",
			"internal/expression",
			"internal/frontmatter",
			"internal/hookevent",
			"internal/jsonpath",
			"internal/page",
			"internal/pool",
			"internal/schema",
			"internal/watch",
			"internal/wholefile",
			"internal/wildcard",
		}},
		{"1 families", []string{
			"config",
			"providers/internal/gen",
			"providers/internal/mutate",
			"providers",
			"providers/faulttest",
			"providers/internal/wire",
			"providers/internal/lc",
			"providers/openai",
			"providers/anthropic",
			"providers/script",
			"providers/cassette",
			"tools/internal/shell",
			"tools/sandbox/launch",
			"tools/sandbox",
			"tools",
			"tools/toolstest",
			"tools/builtin/internal/ignore",
			"tools/builtin/internal/office",
			"tools/builtin/internal/search",
			"tools/builtin/internal/webtext",
			"tools/builtin",
			"tools/custom",
			"tools/mcp",
			"memory/embed",
			"memory/vector",
			"memory",
			"memory/memorytest",
			"memory/filestore",
			"memory/sqlstore",
			"skills",
		}},
		{"2 agents", []string{
			"agents/hook",
			"agents",
			"agents/memorytool",
		}},
		{"3 loader and runner", []string{
			"loader/claude",
			"loader/copilot",
			"loader/gemini",
			"loader/opencode",
			"loader",
			"loader/standard",
			"loader/importer",
			"runner/event",
			"runner/session",
			"runner/session/sessiontest",
			"runner/workflow",
			"runner",
			"runner/ci",
			"runner/ci/report",
			"runner/durable",
			"runner/serve",
		}},
		{"4 commands", []string{
			"internal/archtest",
			"internal/bench/bare",
			"internal/bench",
			"cmd/swarmrun/internal/markdown",
			"cmd/swarmrun/internal/version",
			"cmd/swarmrun",
		}},
	}
}

// apart is a group of families of which none imports another.
type apart struct {
	families []string
	reason   string
}

func groups() []apart {
	return []apart{
		{[]string{"config", "providers", "tools", "memory", "skills"},
			"families of rung 1 do not know each other; agents joins them"},
		{[]string{"loader", "runner"},
			"what reads files and what runs agents meet in agents.Graph only"},
	}
}

// free are packages of a family that count as none of it.
func free(pkg string) bool { return pkg == "config/diag" }

// denied is an edge that the order alone would allow. "x/..." is x and all below it.
type denied struct{ from, to, reason string }

func denials() []denied {
	return []denied{
		{"agents/...", "config", "agents can be built in Go without any file"},
		{"runner/...", "config", "runner runs a graph, wherever it came from"},
		{"loader", "loader/claude", "foreign formats are listed in the Environment, not built in"},
		{"loader", "loader/copilot", "foreign formats are listed in the Environment, not built in"},
		{"loader", "loader/gemini", "foreign formats are listed in the Environment, not built in"},
		{"loader", "loader/opencode", "foreign formats are listed in the Environment, not built in"},
		{"internal/...", "config", "what everybody may use knows no definition"},
		{"cmd/...", "providers/internal/wire", "the wire belongs to the providers"},
	}
}

// library says who may import a module of others, tests excepted.
type library struct {
	path   string // of the module, or of one package of it
	users  []string
	reason string
}

// libraries are all modules that may be imported. Longer paths win. No user: tests, and the suites that tests share.
func libraries() []library {
	return []library{
		{"gopkg.in/yaml.v3", []string{"config", "internal/frontmatter"}, "YAML is read as nodes with places, in one place"},
		{"github.com/adrg/frontmatter", []string{"internal/frontmatter"}, "it is safe after our own checks only"},
		{"github.com/yuin/goldmark", []string{"config", "skills", "cmd/swarmrun/internal/markdown"}, "bodies and their rendering"},
		{"github.com/knadh/koanf", []string{"config"}, "settings"},
		{"github.com/fsnotify/fsnotify", []string{"internal/watch"}, "its traits need one wrapper"},
		{"github.com/bmatcuk/doublestar/v4", []string{"tools", "tools/builtin", "loader", "runner/ci"}, "globs"},
		{"github.com/google/jsonschema-go", []string{"tools"}, "the schema of a Go type"},
		{"github.com/expr-lang/expr", []string{"internal/expression"}, "it has to be fenced in"},
		{"mvdan.cc/sh/v3", []string{"tools/internal/shell", "loader"}, "commands are split by a real parser"},
		{"github.com/tmc/langchaingo", []string{"providers/internal/lc", "providers/openai", "providers/anthropic"},
			"its types stay behind our own"},
		{"github.com/philippgille/chromem-go", []string{"memory/vector"}, "in memory only"},
		{"github.com/modelcontextprotocol/go-sdk", []string{"tools/mcp", "runner/serve"}, "its transport is wrapped"},
		{"golang.org/x/oauth2", []string{"tools/mcp"}, "the tokens of the SDK's sign-in"},
		{"github.com/dbos-inc/dbos-transact-golang", []string{"runner/durable"}, "launched for durable runs only"},
		{"modernc.org/sqlite", []string{"memory/sqlstore"}, "the copy that DBOS pins"},
		{"charm.land/catwalk", []string{"providers/internal/gen"}, "data for a table, never linked"},
		{"github.com/spf13/cobra", []string{"cmd/swarmrun"}, "flags and commands"},
		{"github.com/spf13/pflag", []string{"cmd/swarmrun"}, "flags and commands"},
		{"charm.land/bubbletea/v2", []string{"cmd/swarmrun"}, "screens"},
		{"charm.land/lipgloss/v2", []string{"cmd/swarmrun", "cmd/swarmrun/internal/markdown"}, "screens"},
		{"github.com/charmbracelet/x/ansi", []string{"cmd/swarmrun", "cmd/swarmrun/internal/markdown"}, "cells of styled text"},
		{"golang.org/x/sys", []string{"tools/sandbox", "runner/session", "cmd/swarmrun"}, "system calls: locks, processes, terminals"},
		{"golang.org/x/term", []string{"cmd/swarmrun"}, "is it a terminal, and how wide"},
		{"golang.org/x/net", []string{"tools/builtin/internal/webtext"}, "HTML as text for WebFetch"},
		{"golang.org/x/text/width", []string{"config/diag", "cmd/swarmrun"}, "cells of wide characters"},
		{"golang.org/x/text/encoding", []string{"tools/builtin/internal/webtext"}, "pages in one-byte encodings"},
		{"github.com/google/go-cmp", nil, "got and want"},
		{"github.com/rogpeppe/go-internal", nil, "testscript, txtar"},
		{"github.com/owenrumney/go-sarif/v3", nil, "reads back what we write"},
		{"github.com/santhosh-tekuri/jsonschema/v6", nil, "judges the same schemas; linked, it compiles all meta-schemas before main"},
		{"github.com/xeipuuv/gojsonschema", nil, "carries the official suite"},
	}
}

// testers are the packages whose tests alone may import a library that is for tests.
func testers() map[string]string {
	return map[string]string{
		"github.com/santhosh-tekuri/jsonschema/v6": "internal/schema",
		"github.com/xeipuuv/gojsonschema":          "internal/schema",
	}
}

// folders are the top-level folders; dot folders may come on top.
func folders() []string {
	return []string{"agents", "cmd", "config", "docs", "examples", "internal", "loader", "memory", "providers", "runner", "skills", "tools"}
}

// exception is a finding that is right as it is.
type exception struct{ place, reason string } // place: package and name

// exceptions are declarations that look like a fault and are none.
func exceptions() []exception {
	return []exception{
		{"cmd/swarmrun/internal/version.release", "set by the linker"},
		{"cmd/swarmrun/internal/version.commit", "set by the linker"},
		{"cmd/swarmrun/internal/version.init", "the answer does not wait for what main needs"},
		{"tools/sandbox/launch.init", "children do not wait for what main needs"},
	}
}
