package gen

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/catwalk/pkg/catwalk"
)

// renamed are the providers that swarmrun calls otherwise.
var renamed = map[catwalk.InferenceProvider]string{catwalk.InferenceProviderGemini: "google"}

// Table writes the catalogue: a comment that names the source, then for each provider a line "@name" and its models,
// one a line, sorted, the fields parted by tabs: id, context window, maximal output (tokens), price of input, output,
// cached input and cache write (US dollars per million tokens, all empty when unknown), flags (i images, t thinking).
func Table(source []catwalk.Provider, version, date string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# charm.land/catwalk %s, %s; written by go generate ./providers\n", version, date)
	names := make(map[string]catwalk.Provider, len(source))
	for _, p := range source {
		names[name(p)] = p
	}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&b, "@%s\n", n)
		models := slices.Clone(names[n].Models)
		slices.SortFunc(models, func(a, b catwalk.Model) int { return cmp.Compare(a.ID, b.ID) })
		for _, m := range models {
			b.WriteString(line(m))
		}
	}
	return b.Bytes()
}

func name(p catwalk.Provider) string {
	if n, ok := renamed[p.ID]; ok {
		return n
	}
	return string(p.ID)
}

func line(m catwalk.Model) string {
	fields := []string{m.ID, strconv.FormatInt(m.ContextWindow, 10), strconv.FormatInt(m.DefaultMaxTokens, 10), "", "", "", ""}
	if known(m) {
		read, write := cached(m)
		for i, usd := range []float64{m.CostPer1MIn, m.CostPer1MOut, read, write} {
			fields[3+i] = strconv.FormatFloat(math.Round(usd*1e6)/1e6, 'f', -1, 64)
		}
	}
	flags := ""
	if m.SupportsImages {
		flags += "i"
	}
	if m.CanReason {
		flags += "t"
	}
	return strings.Join(append(fields, flags), "\t") + "\n"
}

// known tells a model that costs nothing from one whose price the source does not have: both are zero there.
func known(m catwalk.Model) bool {
	return m.CostPer1MIn > 0 || m.CostPer1MOut > 0 || strings.HasSuffix(m.ID, ":free")
}

// cached finds the prices of reading and writing the prompt cache. The source has two fields for them, which its own
// generators fill in either order and sometimes with storage or output prices, so the amounts decide: a read is
// cheaper than plain input, a write dearer. What cannot be told is priced like plain input, never as free.
func cached(m catwalk.Model) (read, write float64) {
	in, a, b := m.CostPer1MIn, m.CostPer1MInCached, m.CostPer1MOutCached
	read, write = in, in
	switch {
	case 0 < b && b < in:
		read = b
	case 0 < a && a < in:
		read = a
	}
	switch {
	case a > in:
		write = a
	case 0 < a && b > in && b < m.CostPer1MOut:
		write = b
	}
	return read, write
}
