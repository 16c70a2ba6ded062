package loader

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// generate writes n agents of about two kilobytes, ten to a folder, each with rules and delegates, and their settings.
func generate(t testing.TB, dir string, n int) (size int) {
	t.Helper()
	body := strings.Repeat("You read what you are given, and say what you saw, in short words.\n", 28)
	files := []string{SettingsFile, "models: {smart: [openai/gpt-5, anthropic/claude-sonnet-4-5]}\ndefaults: {model: smart}\npermissions: {deny: [\"Bash(rm *)\"]}\n"}
	for i := range n {
		extra := "tools: [Read, Grep, \"Bash(git diff *)\"]\nmax_turns: 20\nparameters: {temperature: 0.2}\n"
		if i >= 10 {
			extra += fmt.Sprintf("delegates_to: [agent-%d, agent-%d]\n", i/10, i/2-1)
		}
		text := strings.Replace(agentFile(fmt.Sprintf("agent-%d", i), extra), "You are", body+"You are", 1)
		size += len(text)
		files = append(files, filepath.ToSlash(filepath.Join("agents", fmt.Sprint(i/10), fmt.Sprintf("%d.md", i))), text)
	}
	write(t, dir, files...)
	return size
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			size := generate(b, dir, n)
			env, _ := testEnv(b)
			o := &Options{Env: env, Environ: []string{}}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				r, err := Check(b.Context(), dir, o)
				if err != nil {
					b.Fatal(err)
				}
				if !r.Ready || len(r.Definitions) != n {
					b.Fatalf("%d definitions: %v", len(r.Definitions), r.Diagnostics)
				}
			}
		})
	}
}

func BenchmarkAcquire(b *testing.B) {
	live, err := Open(b.Context(), b.TempDir(), &Options{Environ: []string{}})
	if err != nil {
		b.Fatal(err)
	}
	defer live.Close()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, release, err := live.Acquire()
			if err != nil {
				b.Fatal(err)
			}
			release()
		}
	})
}

// TestMemory holds what a loaded workspace keeps: at most three times the bytes of its files and 20 MiB.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	size := generate(t, dir, 2000)
	env, _ := testEnv(t)
	live := open(t, dir, &Options{Env: env, Environ: []string{}})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	live.current.Store(nil)
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	if most := int64(3*size + 20<<20); kept > most {
		t.Errorf("%d bytes of files keep %d bytes, at most %d are allowed", size, kept, most)
	}
}

// TestWatchMemory holds what watching keeps above the load, what a save allocates, and what saves keep: each at most a KiB for
// a file.
func TestWatchMemory(t *testing.T) {
	const n = 2000
	dir := t.TempDir()
	generate(t, dir, n)
	env, _ := testEnv(t)
	live := open(t, dir, &Options{Env: env, Environ: []string{}})
	loaded := heap()
	told := watched(t, live)
	if kept := heap().HeapAlloc - loaded.HeapAlloc; int64(kept) > n<<10 {
		t.Errorf("watching %d files keeps %d bytes more than their load", n, kept)
	}
	file := filepath.Join(dir, "agents", "7", "70.md")
	text, err := os.ReadFile(file)
	must(t, err)
	before := heap()
	const saves = 5
	for i := range saves {
		write(t, dir, "agents/7/70.md", fmt.Sprintf("%sSave %d.\n", text, i))
		if c := <-told; !c.Published {
			t.Fatal(c.Diagnostics)
		}
	}
	after := heap()
	if each := (after.TotalAlloc - before.TotalAlloc) / saves; each > n<<10 {
		t.Errorf("a save of one file among %d allocates %d bytes", n, each)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > n<<10 {
		t.Errorf("%d saves keep %d bytes", saves, grown)
	}
}

// heap is what lives.
func heap() (m runtime.MemStats) {
	runtime.GC()
	runtime.GC() // pools give back what they hold with the second one
	runtime.ReadMemStats(&m)
	return m
}
