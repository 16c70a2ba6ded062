package cassette

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmrun/swarmrun/internal/lazy"
	"github.com/swarmrun/swarmrun/providers"
)

// folder is a path of this machine and what stands for it in a cassette.
type folder struct{ name, path string }

// scrubber takes out of texts what belongs to this machine or is secret, and puts the former back.
type scrubber struct {
	folders []folder // longest path first, so that a folder inside another is found
	redact  *providers.Redactor
	mask    []*regexp.Regexp
}

// blank stands where a pattern of mask matched.
const blank = "[masked]"

// token is a folder's name as it stands in a cassette; more dollars in front stand for one fewer in the text itself.
var token = lazy.MustCompile(`\$+(WORKSPACE|HOME|TMP)\b`)

func newScrubber(o *Options) *scrubber {
	s := &scrubber{redact: o.Redactor}
	for _, f := range []folder{{"WORKSPACE", o.Workspace}, {"HOME", o.Home}, {"TMP", o.Temp}} {
		s.add(f)
	}
	slices.SortStableFunc(s.folders, func(a, b folder) int { return len(b.path) - len(a.path) })
	return s
}

// add takes a folder as it is named and as it really is.
func (s *scrubber) add(f folder) {
	if f.path == "" {
		return
	}
	f.path = filepath.Clean(f.path)
	if f.path == string(filepath.Separator) {
		return
	}
	s.folders = append(s.folders, f)
	if real, err := filepath.EvalSymlinks(f.path); err == nil && real != f.path && real != string(filepath.Separator) {
		s.folders = append(s.folders, folder{f.name, real})
	}
}

// stored is a text as a cassette holds it.
func (s *scrubber) stored(text string) string {
	text = token.Get().ReplaceAllString(text, "$$$0")
	for _, f := range s.folders {
		text = replacePath(text, f.path, "$"+f.name)
	}
	return s.redact.Text(text)
}

// asked is a text of a request: stored, and without what mask names.
func (s *scrubber) asked(text string) string { return s.masked(s.stored(text)) }

func (s *scrubber) masked(text string) string {
	for _, re := range s.mask {
		text = re.ReplaceAllLiteralString(text, blank)
	}
	return text
}

// restored is a stored text on this machine.
func (s *scrubber) restored(text string) string {
	return token.Get().ReplaceAllStringFunc(text, func(t string) string {
		if t[1] == '$' {
			return t[1:]
		}
		for _, f := range s.folders {
			if f.name == t[1:] {
				return f.path
			}
		}
		return t
	})
}

// replacePath replaces a path where it stands as a whole: "/ws" in "/ws/a" and "at /ws.", not in "/ws2", "/ws.old", "/x/ws".
func replacePath(text, path, by string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, path)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(path)
		b.WriteString(text[:i])
		if (i > 0 && inName(text[i-1])) || continues(text[end:]) {
			b.WriteString(path)
		} else {
			b.WriteString(by)
		}
		text = text[end:]
	}
}

func inName(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// continues tells whether a name goes on: a full stop does only before more of it.
func continues(rest string) bool {
	rest = strings.TrimLeft(rest, ".")
	return rest != "" && inName(rest[0])
}
