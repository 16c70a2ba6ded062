package loader

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkSkills loads 1,000 skills of two kilobytes, each with a placeholder in code.
func BenchmarkSkills(b *testing.B) {
	var files []string
	for i := range 1000 {
		files = append(files, fmt.Sprintf("skills/s%d/SKILL.md", i), fmt.Sprintf(anySkill, fmt.Sprintf("s%d", i))+strings.Repeat("Run `awk '{print $1}'` and read the notes.\n", 50))
	}
	root := write(b, b.TempDir(), files...)
	env, _ := testEnv(b)
	for b.Loop() {
		r, err := Check(b.Context(), root, &Options{Env: env, Environ: []string{}})
		if err != nil || len(r.Definitions) != 1000 {
			b.Fatalf("%v, %d", err, len(r.Definitions))
		}
	}
}
