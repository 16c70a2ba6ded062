package loader

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/config/diag"
)

// Bounds of the search for skills below one folder.
const (
	maxSkillDepth   = 6
	maxSkillFolders = 2000
)

// skillFile is the name of the file that makes a folder a skill.
const skillFile = "SKILL.md"

// spot is a folder on the way: path is how it was reached, real where it lies.
type spot struct {
	path, real string
	depth      int
}

// skills lists the skills below a folder, the nearest first. A folder that holds a SKILL.md is one, and what lies in it is
// its own; other folders are categories. Links are followed, each real folder is entered once.
func (w *walk) skills(path, real string) {
	queue := []spot{{path, real, 0}}
	looked, deep := 0, ""
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if w.entered[at.real] {
			continue
		}
		w.entered[at.real] = true
		if looked == maxSkillFolders {
			w.diags.Add(diag.New("W-SKILL-SCAN", diag.At(w.display(path), 1, 1, 0), "%s holds more than %d folders; the search for skills ended before %s", w.display(path), maxSkillFolders, w.display(at.path)).
				Suggest("move what is no skill somewhere else"))
			return
		}
		looked++
		below := w.skill(at)
		if at.depth == maxSkillDepth && len(below) > 0 {
			deep = at.path
			continue
		}
		queue = append(queue, below...)
	}
	if deep != "" {
		w.diags.Add(diag.New("I-SKILL-SCAN", diag.At(w.display(deep), 1, 1, 0), "folders below %s were not searched for skills: they lie more than %d deep", w.display(deep), maxSkillDepth))
	}
}

// skill takes a folder for a skill where it is one, and else gives the folders in it.
func (w *walk) skill(at spot) []spot {
	entries, err := os.ReadDir(at.real)
	if err != nil {
		w.unreadable(at.path, "the folder", err)
		return nil
	}
	var below []spot
	var loose diag.List
	found := ""
	for _, e := range entries { // SKILL.md comes before its other spellings
		name := e.Name()
		if hidden(name) || name == "node_modules" {
			continue
		}
		path, target, mode := filepath.Join(at.path, name), filepath.Join(at.real, name), e.Type()
		if mode&fs.ModeSymlink != 0 {
			if target, mode, err = follow(target); err != nil {
				continue
			}
		}
		switch {
		case mode.IsDir():
			below = append(below, spot{path, target, at.depth + 1})
		case mode.IsRegular() && looseSkill(name, target):
			once := identity{path: target} // of no kind
			if w.seen[once] || w.seen[identity{w.kind, target}] {
				continue
			}
			w.seen[once] = true
			loose.Add(diag.New("W-SKILL-DIR", diag.At(w.display(path), 1, 1, 0), "a skill is a folder with a %s; this file is not read", skillFile).
				Suggest("move it to %s", w.display(filepath.Join(folderFor(at, name), skillFile))))
		case !mode.IsRegular() || !strings.EqualFold(name, skillFile):
		case at.depth == 0:
			w.diags.Add(diag.New("W-SKILL-DIR", diag.At(w.display(path), 1, 1, 0), "a skill lies in a folder of its own; this file is not read").
				Suggest("move it into a folder that is named like the skill"))
		case found != "":
			w.diags.Add(diag.New("W-SKILL-FILE", diag.At(w.display(path), 1, 1, 0), "%s is not read: %s beside it is", name, found).
				Suggest("remove one of the two"))
		default:
			found = name
			w.skillAt(at, path, target)
		}
	}
	if found != "" {
		return nil
	}
	w.diags.Add(loose...)
	return below
}

// folderFor is where a loose skill belongs: the folder that is named like it already, or one beside the file.
func folderFor(at spot, name string) string {
	stem := strings.TrimSuffix(name, ".md")
	if at.depth > 0 && filepath.Base(at.path) == stem {
		return at.path
	}
	return filepath.Join(at.path, stem)
}

// looseSkill tells whether a file looks like a skill that has no folder of its own: Markdown with frontmatter.
func looseSkill(name, path string) bool {
	if !strings.HasSuffix(name, ".md") || strings.EqualFold(name, skillFile) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [4]byte
	n, _ := io.ReadFull(f, head[:])
	return string(head[:n]) == "---\n" || string(head[:n]) == "---\r"
}

// skillAt lists a skill. Its folder is where its file is found, also where that is a link to a file somewhere else.
func (w *walk) skillAt(at spot, path, real string) {
	before := len(w.files)
	w.file(path, real, at.depth)
	if len(w.files) == before {
		return
	}
	f := w.files[before]
	f.skillDir = at.real
	if w.as.rank < rankUser && (filepath.IsAbs(slash(w.root, real)) || filepath.IsAbs(slash(w.root, at.real))) {
		f.outside = true
		w.diags.Add(diag.New("I-SKILL-LINK", diag.At(w.display(path), 1, 1, 0), "a link leads to %s, outside of the workspace", filepath.ToSlash(real)))
	}
}
