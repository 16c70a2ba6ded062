package loader

import (
	"fmt"
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
