package launch

import (
	"os"
	"path"
	"slices"
	"strconv"
	"syscall"
)

// enter makes the user namespace hold the user that we are.
func (s *supervisor) enter(p *Policy) error {
	if !p.User || s.entered {
		return nil
	}
	s.entered = true
	for _, m := range []struct{ file, text string }{
		{"setgroups", "deny"},
		{"uid_map", itself(p.UID)},
		{"gid_map", itself(p.GID)},
	} {
		if err := os.WriteFile("/proc/self/"+m.file, []byte(m.text), 0); err != nil {
			return failed(err, "user namespace")
		}
	}
	return nil
}

// itself maps an id to the same one.
func itself(id int) string { return strconv.Itoa(id) + " " + strconv.Itoa(id) + " 1" }

// unshare gives the thread the namespaces that the policy counts on. What System V shares between processes comes with them: it
// has no file, and would outlive the command.
func unshare(p *Policy) error {
	if !p.Mounts {
		return nil
	}
	flags := syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC
	if p.Network {
		flags |= syscall.CLONE_NEWNET
	}
	return failed(syscall.Unshare(flags), "namespaces")
}

// mount makes the child's view of files: what is kept is read-only, what is hidden has something empty before it, and shared
// memory is the child's own.
func mount(p *Policy) error {
	if !p.Mounts {
		return nil
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return failed(err, "mount namespace")
	}
	m := &mounts{stage: p.Tmp, through: map[string]int{}}
	for _, path := range p.Through {
		if fd, err := syscall.Open(path, oPath|syscall.O_CLOEXEC, 0); err == nil {
			m.through[path] = fd
			defer syscall.Close(fd)
		}
	}
	if err := m.readOnlyBut(p.Write); err != nil {
		return err
	}
	for _, path := range p.pinned() {
		if err := m.bind(path, path); err != nil {
			return err
		}
	}
	for _, path := range p.Keep {
		if err := m.keep(path); err != nil {
			return err
		}
	}
	if err := m.hideAll(p.Hide); err != nil {
		return err
	}
	if _, err := os.Stat(shared); err == nil && syscall.Mount("tmpfs", shared, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=1777") == nil {
		p.Write = append(p.Write, shared)
	}
	return nil
}

// shared is the folder of shared memory.
const shared = "/dev/shm"

type mounts struct {
	stage   string
	through map[string]int // folder → what it is
	masks   int
}

// bind makes one path show what another one is. What has gone meanwhile needs nothing.
func (m *mounts) bind(from, to string) error {
	if err := syscall.Mount(from, to, "", syscall.MS_BIND|syscall.MS_REC, ""); err != syscall.ENOENT {
		return failed(err, "mount "+to)
	}
	return nil
}

// readOnlyBut makes all files read-only, but for these paths. Landlock keeps them from being written; this keeps them from
// getting other modes, owners and times too.
func (m *mounts) readOnlyBut(paths []string) error {
	for _, path := range paths {
		if err := m.bind(path, path); err != nil {
			return err
		}
	}
	if err := setMount("/", atRecursive, mountAttr{set: mountAttrRdonly}); err != nil {
		return failed(err, "mount namespace")
	}
	for _, path := range paths {
		open := mountAttr{clr: mountAttrRdonly}
		if setMount(path, atRecursive, open) == nil {
			continue
		}
		err := setMount(path, 0, open) // something on it was read-only before
		if err != nil && err != syscall.ENOENT && err != syscall.EPERM {
			return failed(err, "mount namespace: "+path)
		}
	}
	return nil
}

// keep makes a path read-only. Only this mount: what lies on others below it was put there on purpose.
func (m *mounts) keep(path string) error {
	if err := m.bind(path, path); err != nil {
		return err
	}
	return m.readOnly(path)
}

func (m *mounts) readOnly(path string) error {
	if err := setMount(path, 0, mountAttr{set: mountAttrRdonly}); err != syscall.ENOENT {
		return failed(err, "keep "+path)
	}
	return nil
}

// hideAll puts an empty file or folder before each path. They come from a file system that has no name afterwards.
func (m *mounts) hideAll(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	if err := syscall.Mount("tmpfs", m.stage, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0755"); err != nil {
		return failed(err, "mount namespace")
	}
	for _, path := range paths {
		if path == m.stage {
			continue // a trial
		}
		if err := m.hide(path); err != nil {
			return err
		}
	}
	if err := syscall.Unmount(m.stage, syscall.MNT_DETACH); err != nil {
		return failed(err, "mount namespace")
	}
	return nil
}

func (m *mounts) hide(path string) error {
	fi, err := os.Stat(path)
	if err != nil {
		return nil // what cannot be found cannot be read
	}
	m.masks++
	mask := m.stage + "/" + strconv.Itoa(m.masks)
	if !fi.IsDir() {
		f, err := os.OpenFile(mask, os.O_CREATE|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		f.Close()
		if err := m.bind(mask, path); err != nil {
			return err
		}
		return m.readOnly(path)
	}
	if err := os.Mkdir(mask, 0o755); err != nil {
		return err
	}
	var inner []string
	for through := range m.through {
		if rel, ok := below(through, path); ok {
			inner = append(inner, through)
			if err := os.MkdirAll(mask+"/"+rel, 0o755); err != nil {
				return err
			}
		}
	}
	if err := m.bind(mask, path); err != nil {
		return err
	}
	for _, through := range inner {
		if err := m.bind("/proc/self/fd/"+strconv.Itoa(m.through[through]), through); err != nil {
			return err
		}
		if err := setMount(through, atRecursive, mountAttr{clr: mountAttrRdonly}); err != nil {
			return failed(err, "open "+through)
		}
	}
	return m.readOnly(path)
}

// loopback switches on the only device of an empty network, so that a program can speak to itself.
func loopback(p *Policy) error {
	if !p.Network {
		return nil
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil // no IPv4 here
	}
	defer syscall.Close(fd)
	return failed(setFlags(fd, "lo", syscall.IFF_UP|syscall.IFF_RUNNING), "network namespace")
}

// pinned are the folders between what may be written and what is hidden or kept. They must stay where they are: who can
// rename a folder has its files under another name.
func (p *Policy) pinned() []string {
	var out []string
	for _, file := range slices.Concat(p.Hide, p.Keep) {
		for _, root := range p.Write {
			if _, ok := below(file, root); !ok {
				continue
			}
			for up := path.Dir(file); len(up) > len(root); up = path.Dir(up) {
				out = append(out, up)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// below is the rest of a path that lies in a folder.
func below(file, folder string) (rest string, ok bool) {
	n := len(folder)
	if len(file) <= n || file[:n] != folder || file[n] != '/' {
		return "", false
	}
	return file[n+1:], true
}
