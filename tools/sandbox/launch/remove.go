package launch

import "os"

// RemoveAll removes a temporary folder, folders without write permission included. What is left is in the system's temporary
// folder.
func RemoveAll(dir string) {
	if os.RemoveAll(dir) != nil {
		unlock(dir)
		_ = os.RemoveAll(dir)
	}
}

// unlock lets us change a folder and those in it, and no other one: somebody may be left who puts a link in the place of one.
func unlock(dir string) {
	_ = os.Chmod(dir, 0o700)
	if root, err := os.OpenRoot(dir); err == nil {
		defer root.Close()
		unlockIn(root, ".")
	}
}

func unlockIn(root *os.Root, dir string) {
	f, err := root.Open(dir)
	if err != nil {
		return
	}
	entries, _ := f.ReadDir(-1)
	f.Close()
	for _, entry := range entries {
		if name := dir + "/" + entry.Name(); entry.IsDir() {
			_ = root.Chmod(name, 0o700)
			unlockIn(root, name)
		}
	}
}
