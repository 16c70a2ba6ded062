package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
)

// shells read commands from their input, from -c, or from a file.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish"}

// interpreters read a program from their input, from an option, or from a file.
var interpreters = []string{"python", "python2", "python3", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "tclsh", "osascript"}

// harmless are options of interpreters that run nothing.
var harmless = []string{"--version", "--help", "-V", "-h", "-u", "-B", "-I", "-s", "-S", "-O", "-w", "-W"}

// runners run what their arguments say, or what an editor or pager is told to.
var runners = []string{
	"eval", ".", "source", "exec", "trap", "alias", "hash", "enable", "bind", "complete", "compgen", "coproc", "jobs", "fc",
	"env", "sudo", "doas", "su", "runuser", "pkexec", "watch", "setsid", "ionice", "chrt", "taskset", "setarch", "prlimit", "flock",
	"chroot", "unshare", "nsenter", "strace", "ltrace", "gdb", "parallel", "ssh", "script", "busybox", "toybox", "entr", "fakeroot",
	"xvfb-run", "systemd-run", "at", "batch", "crontab", "expect", "unbuffer", "rlwrap", "socat", "tmux", "screen",
	"less", "more", "vi", "vim", "nvim", "view", "ex", "ed", "emacs", "nano", "man", "m4", "dc", "sqlite3", "gnuplot",
}

// options are those by which a program that otherwise reads or builds starts another one or changes files unseen. A long
// option is meant in every abbreviation.
var options = lazy.Value[map[string][]string]{New: func() map[string][]string {
	return map[string][]string{
		"find":  {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"},
		"fd":    {"-x", "-X", "--exec", "--exec-batch"},
		"rg":    {"--pre", "--hostname-bin"},
		"go":    {"-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool"},
		"tar":   {"-I", "-F", "--to-command", "--checkpoint-action", "--use-compress-program", "--info-script", "--new-volume-script", "--rsh-command", "--rmt-command"},
		"rsync": {"-e", "--rsh", "--rsync-path"},
		"sort":  {"--compress-program"},
		"split": {"--filter"},
		"zip":   {"-T", "--unzip-command"},
		"gcc":   {"-wrapper", "-B", "-fplugin", "-specs", "--specs"},
		"g++":   {"-wrapper", "-B", "-fplugin", "-specs", "--specs"},
		"cc":    {"-wrapper", "-B", "-fplugin", "-specs", "--specs"},
		"cpio":  {"--rsh-command"},
		"tree":  {"-o"},
		"yq":    {"-i", "--inplace", "-s", "--split-exp"},
		"git":   {"--ext-diff", "--exec", "--exec-path", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--config", "--config-env", "--template", "--extcmd"},
	}
}}

// gitGlobal is how many words an option before a subcommand takes that starts nothing; 0 = it may.
func gitGlobal(option string) int {
	switch option {
	case "--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--version":
		return 1
	case "-C":
		return 2
	}
	return 0
}

// gitRuns are subcommands that run what they are told; a further word narrows to one of theirs.
var gitRuns = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"filter-branch": "", "difftool": "", "mergetool": "", "send-email": "", "daemon": "", "shell": "", "instaweb": "", "bisect": "run", "submodule": "foreach",
		"remote-ext": "", "web--browse": "", "for-each-repo": "", "hook": "", "gui": "", "citool": "", "p4": "", "svn": "", "cvsimport": "", "cvsserver": "", "credential": "",
	}
}}

// simpleSed is a sed script that prints, deletes or substitutes, and so neither runs nor writes anything.
var simpleSed = lazy.MustCompile(`^[0-9,$]*([pdq=]|s/[^/\\]*/[^/\\]*/[gpI0-9]*)$`)

// runs says why a command may run or write what its words do not show.
func runs(words []string) string {
	if len(words) == 0 {
		return ""
	}
	if !Known(words[0]) {
		return "its name is not known before it runs"
	}
	name, args := path.Base(words[0]), words[1:]
	switch {
	case slices.Contains(runners, name):
		return because(len(args) > 0, "it runs its arguments")
	case slices.Contains(shells, name):
		return because(len(args) == 0 || !Known(args[0]) || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], "+"), "it runs a script that it is handed")
	case slices.Contains(interpreters, strings.TrimRight(name, "0123456789.")), slices.Contains(interpreters, name):
		return because(inline(args), "it runs a program that it is handed")
	}
	if _, ok := wrappers.Get()[name]; ok {
		lookup := name == "command" && len(args) > 0 && (args[0] == "-v" || args[0] == "-V")
		return because(len(args) > 0 && !lookup, "it runs its arguments")
	}
	switch name {
	case "git":
		return git(args)
	case "sed":
		return because(!tame(args, simpleSed.Get()), "its script may run or write something")
	case "awk", "gawk", "mawk", "nawk":
		return because(wildAwk(args), "its program may run or write something")
	case "printf", "read", "unset", "mapfile", "readarray", "getopts", "wait", "test", "[":
		return because(subscripts(name, args) || assigns(name, args), "it takes the name of a variable: bash evaluates its subscript, and later commands may see it")
	case "declare", "typeset", "local", "export", "readonly", "nameref":
		return because(!tameDeclaration(args), "it changes what later commands run")
	}
	return option(name, args)
}

func because(yes bool, reason string) string {
	if yes {
		return reason
	}
	return ""
}

// option looks for an option of the table. An argument that is not known may be one, but after --.
func option(name string, args []string) string {
	table, ok := options.Get()[name]
	if !ok {
		return ""
	}
	for i, a := range args {
		if a == "--" && name != "find" {
			return ""
		}
		switch {
		case loose(a):
			return "an argument that is not known before it runs may be an option"
		case slices.ContainsFunc(table, func(o string) bool { return isOption(a, o) }),
			name == "tar" && i == 0 && strings.ContainsAny(a, "IF") && !strings.Contains(a, "-"):
			return "its option " + Plain(a) + " runs or writes something"
		}
	}
	return ""
}

// loose tells whether an unknown argument may begin with a dash.
func loose(a string) bool {
	return strings.ContainsRune(a, Unknown) || strings.HasPrefix(a, "-") && !Known(a) || strings.HasPrefix(a, string(Piece)) && !strings.HasPrefix(a, string(Piece)+"/")
}

// isOption tells whether a is the option o: with =value, in a cluster of letters or with its value joined when o is one
// letter, abbreviated when o is long.
func isOption(a, o string) bool {
	a, _, _ = strings.Cut(a, "=")
	switch {
	case strings.HasPrefix(o, "--"):
		return len(a) > 3 && strings.HasPrefix(o, a)
	case len(o) == 2:
		return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, o[1:])
	}
	return a == o
}

func git(args []string) string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := gitGlobal(args[0])
		if n == 0 || n > len(args) || slices.ContainsFunc(args[:n], loose) {
			return "git's option " + Plain(args[0]) + " may run something"
		}
		args = args[n:]
	}
	if len(args) == 0 {
		return ""
	}
	sub, rest := args[0], args[1:]
	if !Known(sub) {
		return "git's command is not known before it runs"
	}
	if first, ok := gitRuns.Get()[sub]; ok && (first == "" || slices.Contains(rest, first)) {
		return "git " + sub + " runs what it is told"
	}
	letters := map[string][]string{"clone": {"-u", "-c"}, "ls-remote": {"-u"}, "grep": {"-O"}, "rebase": {"-x"}}[sub]
	for _, a := range rest {
		if a == "--" {
			break
		}
		if slices.ContainsFunc(letters, func(o string) bool { return isOption(a, o) }) {
			return "git's option " + Plain(a) + " may run something"
		}
	}
	if sub == "config" && (len(rest) == 0 || !slices.Contains([]string{"--get", "--get-all", "--list", "-l", "get", "list"}, rest[0]) || !knownAll(rest)) {
		return "git config changes what git runs"
	}
	return option("git", rest)
}

// inline tells whether an interpreter is handed its program by an option or by its input.
func inline(args []string) bool {
	for i, a := range args {
		switch {
		case loose(a), a == "-":
			return true
		case a == "-m" && i+1 < len(args) && Known(args[i+1]):
			return false
		case !strings.HasPrefix(a, "-"):
			return false
		case a == "--version", a == "--help":
			return false
		case !slices.Contains(harmless, a):
			return true
		}
	}
	return true
}

func tame(args []string, simple *regexp.Regexp) bool {
	seen := false
	for _, a := range args {
		switch {
		case loose(a):
			return false
		case a == "-n", a == "-E", a == "-r", a == "-e", a == "-ne", a == "-nE":
		case strings.HasPrefix(a, "-"):
			return false
		case !seen:
			if !simple.MatchString(a) {
				return false
			}
			seen = true
		}
		if strings.HasPrefix(a, "-") && strings.HasSuffix(a, "e") {
			seen = false // the next word is a script
		}
	}
	return true
}

func wildAwk(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		option := strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "-F") && !strings.HasPrefix(a, "-v")
		return loose(a) || option || strings.ContainsAny(a, "|>@") || strings.Contains(a, "system") || strings.Contains(a, "getline")
	})
}

func subscripts(name string, args []string) bool {
	if (name == "test" || name == "[") && !slices.Contains(args, "-v") && !slices.Contains(args, "-R") && knownAll(args) {
		return false
	}
	if name == "printf" && (len(args) == 0 || Known(args[0]) && !strings.HasPrefix(args[0], "-v")) {
		return false
	}
	return slices.ContainsFunc(args, func(a string) bool { return !Known(a) || strings.Contains(a, "[") && a != "[" }) ||
		slices.Contains(args, "-C") || slices.Contains(args, "-c")
}

// assigns tells whether a builtin may write a variable that programs read.
func assigns(name string, args []string) bool {
	if name == "test" || name == "[" || name == "printf" && (len(args) == 0 || !strings.HasPrefix(args[0], "-v")) {
		return false
	}
	return slices.ContainsFunc(args, func(a string) bool {
		return !strings.HasPrefix(a, "-") && !scriptName(a) || strings.HasPrefix(a, "-v") && len(a) > 2
	})
}

func tameDeclaration(args []string) bool {
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		switch {
		case !Known(name):
			return false
		case a == "-x", a == "-r", a == "-g", a == "-p":
		case strings.HasPrefix(a, "-"), !scriptName(name) && !safeName(name):
			return false
		}
	}
	return true
}

// outputLetter is -o, or a cluster of letters without values before it.
var outputLetter = lazy.MustCompile(`^-[bcdfghiknmrRMVsuzC]*o`)

// writes are files that a command which only reads is told to write by an option.
func writes(words []string) []File {
	if len(words) == 0 {
		return nil
	}
	name := path.Base(words[0])
	if name != "git" && name != "sort" {
		return nil
	}
	letter := name == "sort" || slices.Contains(words, "format-patch") || slices.Contains(words, "archive")
	var files []File
	for i, a := range words {
		o, value, joined := strings.Cut(a, "=")
		switch {
		case a == "--":
			return files
		case len(o) > 2 && strings.HasPrefix("--output-directory", o):
			if !joined && i+1 < len(words) {
				value = words[i+1]
			}
			files = append(files, File{Path: value, Write: true})
		case letter && outputLetter.Get().MatchString(a):
			value = a[strings.IndexByte(a, 'o')+1:]
			if value == "" && i+1 < len(words) {
				value = words[i+1]
			}
			files = append(files, File{Path: value, Write: true})
		}
	}
	return files
}
