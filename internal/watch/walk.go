package watch

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// maxDepth ends trees that links make endless.
const maxDepth = 64

// walk finds the folders of all places and watches them; folders that went are given back. A folder is watched before it is
// listed, so what comes into it meanwhile is either listed or told.
func (w *Watcher) walk() {
	old := w.follow
	w.follow, w.deep, w.files, w.behind, w.missing = map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, nil
	for _, tree := range w.places.Trees {
		w.visit(tree, nil)
		w.await(tree)
	}
	for _, dir := range w.places.Folders {
		w.add(dir)
		w.deep[dir] = true
		w.await(dir)
	}
	for _, file := range w.places.Files {
		w.files[file] = true
		dir := filepath.Dir(file)
		w.add(dir)
		w.await(dir)
		w.link(file)
	}
	if w.notify == nil {
		w.look()
		return
	}
	for dir := range old {
		if _, kept := w.follow[dir]; !kept {
			_ = w.notify.Remove(dir) // an error says that it went with its folder
		}
	}
	w.renew(old)
}

// renew watches folders again whose watch is on another one: they were removed and made anew, or a link leads elsewhere.
func (w *Watcher) renew(old map[string]string) {
	listed := w.notify.WatchList()
	watched := make(map[string]bool, len(listed))
	for _, dir := range listed {
		watched[dir] = true
	}
	for dir, real := range w.follow {
		if was, ok := old[dir]; !watched[dir] || ok && was != real {
			_ = w.notify.Remove(dir)
			if err := w.notify.Add(dir); err != nil && !onlyThere(err) {
				w.fallBack(err)
				return
			}
		}
	}
}

// visit follows a folder and all below it. above are the real folders on the way down: a link to one of them is a circle.
func (w *Watcher) visit(dir string, above []string) {
	real, ok := w.add(dir)
	if !ok || slices.Contains(above, real) || len(above) > maxDepth {
		return
	}
	w.deep[dir] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	above = append(above, real)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case passing(path):
		case e.IsDir():
			w.visit(path, above)
		case e.Type()&fs.ModeSymlink != 0:
			if fi, err := os.Stat(path); err == nil && fi.IsDir() {
				w.visit(path, above)
				continue
			}
			w.link(path)
		}
	}
}

// link follows the folder in which the target of a linked file lies, and the folders of the links on the way.
func (w *Watcher) link(path string) {
	for range maxDepth {
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
		w.peek(filepath.Dir(path))
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		w.peek(filepath.Dir(real))
	}
}

func (w *Watcher) peek(dir string) {
	if _, ok := w.add(dir); ok && !w.deep[dir] {
		w.behind[dir] = true
	}
}

// add watches one folder.
func (w *Watcher) add(dir string) (real string, ok bool) {
	if real, ok := w.follow[dir]; ok {
		return real, true
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	if fi, err := os.Stat(real); err != nil || !fi.IsDir() {
		return "", false
	}
	w.follow[dir] = real
	if w.notify != nil {
		err := silent(real)
		if err == nil {
			err = w.notify.Add(dir)
		}
		if err != nil && !onlyThere(err) {
			w.fallBack(err)
		}
	}
	return real, true
}

// onlyThere tells whether a folder that cannot be watched says nothing about others: it went, or may not be read, which the
// folder above is told of when it changes.
func onlyThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// await watches the nearest folder that exists above a place that does not.
func (w *Watcher) await(place string) {
	if _, ok := w.follow[place]; ok {
		return
	}
	w.missing = append(w.missing, place)
	for dir := filepath.Dir(place); ; dir = filepath.Dir(dir) {
		if _, ok := w.add(dir); ok || dir == filepath.Dir(dir) {
			return
		}
	}
}

// stamp is what polling remembers of a file.
type stamp struct {
	size     int64
	modified int64
	mode     fs.FileMode
}

// look compares all places with what was there before.
func (w *Watcher) look() Change {
	now := map[string]stamp{}
	for dir := range w.follow {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if passing(path) || !w.deep[dir] && !w.files[path] && !w.behind[dir] && !w.leads(path) {
				continue
			}
			if fi, err := os.Stat(path); err == nil {
				now[path] = stamp{fi.Size(), fi.ModTime().UnixNano(), fi.Mode()}
				if fi.IsDir() {
					now[path] = stamp{mode: fi.Mode()}
				}
			}
		}
	}
	before := w.seen
	w.seen = now
	if before == nil {
		return Change{}
	}
	var c Change
	for path := range maps.Keys(joined(before, now)) {
		was, is := before[path], now[path]
		switch {
		case was == is:
		case was.mode.IsDir() || is.mode.IsDir() || w.behind[filepath.Dir(path)] || w.leads(path):
			c.All = true
		default:
			c.Paths = append(c.Paths, path)
		}
	}
	if c.All {
		w.walk()
	}
	slices.Sort(c.Paths)
	return c
}

func joined(a, b map[string]stamp) map[string]stamp {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
