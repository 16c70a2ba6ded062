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

// unlock lets us change a folder and those in it.
func unlock(dir string) {
	_ = os.Chmod(dir, 0o700)
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.IsDir() {
			unlock(dir + "/" + entry.Name())
		}
	}
}
