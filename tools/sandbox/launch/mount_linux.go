package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// enter makes the user namespace hold the user that we are.
func enter(p *Policy) error {
	if !p.User {
		return nil
	}
	for _, m := range []struct{ file, text string }{
		{"setgroups", "deny"},
		{"uid_map", fmt.Sprintf("%d %d 1", p.UID, p.UID)},
		{"gid_map", fmt.Sprintf("%d %d 1", p.GID, p.GID)},
	} {
		if err := os.WriteFile("/proc/self/"+m.file, []byte(m.text), 0); err != nil {
			return fmt.Errorf("user namespace: %w", err)
		}
	}
	return nil
}

// mount makes the child's view of files: what is kept is read-only, what is hidden has something empty before it, and shared
// memory is the child's own.
func mount(p *Policy) error {
	if !p.Mounts {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount namespace: %w", err)
	}
	m := &mounts{stage: p.Tmp, through: map[string]int{}}
	for _, path := range p.Through {
		if fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0); err == nil {
			m.through[path] = fd
			defer unix.Close(fd)
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
	if _, err := os.Stat(shared); err == nil && unix.Mount("tmpfs", shared, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777") == nil {
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
	err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, "")
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("mount %s: %w", to, err)
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
	err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	if err != nil {
		return fmt.Errorf("mount namespace: %w", err)
	}
	for _, path := range paths {
		open := &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, open); err == nil {
			continue
		}
		err := unix.MountSetattr(unix.AT_FDCWD, path, 0, open) // something on it was read-only before
		if err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("mount namespace: %s: %w", path, err)
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
	err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("keep %s: %w", path, err)
	}
	return nil
}

// hideAll puts an empty file or folder before each path. They come from a file system that has no name afterwards.
func (m *mounts) hideAll(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	if err := unix.Mount("tmpfs", m.stage, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return fmt.Errorf("mount namespace: %w", err)
	}
	for _, path := range paths {
		if path == m.stage {
			continue // a trial
		}
		if err := m.hide(path); err != nil {
			return err
		}
	}
	if err := unix.Unmount(m.stage, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("mount namespace: %w", err)
	}
	return nil
}

func (m *mounts) hide(path string) error {
	fi, err := os.Stat(path)
	if err != nil {
		return nil // what cannot be found cannot be read
	}
	m.masks++
	mask := filepath.Join(m.stage, strconv.Itoa(m.masks))
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
		if rel, ok := strings.CutPrefix(through, path+"/"); ok {
			inner = append(inner, through)
			if err := os.MkdirAll(filepath.Join(mask, rel), 0o755); err != nil {
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
		if err := unix.MountSetattr(unix.AT_FDCWD, through, unix.AT_RECURSIVE, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("open %s: %w", through, err)
		}
	}
	return m.readOnly(path)
}

// loopback switches on the only device of an empty network, so that a program can speak to itself.
func loopback(p *Policy) error {
	if !p.Network {
		return nil
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil // no IPv4 here
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("network namespace: %w", err)
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr); err != nil {
		return fmt.Errorf("network namespace: %w", err)
	}
	return nil
}

// pinned are the folders between what may be written and what is hidden or kept. They must stay where they are: who can
// rename a folder has its files under another name.
func (p *Policy) pinned() []string {
	var out []string
	for _, path := range slices.Concat(p.Hide, p.Keep) {
		for _, root := range p.Write {
			if !strings.HasPrefix(path, root+"/") {
				continue
			}
			for up := filepath.Dir(path); len(up) > len(root); up = filepath.Dir(up) {
				out = append(out, up)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
