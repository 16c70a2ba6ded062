package cassette

import "slices"

// maxCompared bounds the lines that are compared with each other; what is left in the middle of longer texts is shown as
// replaced.
const maxCompared = 1000

// difflines is the way from a to b, one line each, marked with "  ", "- " or "+ ".
func difflines(a, b []string) []string {
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	out := marked("  ", a[:head])
	out = append(out, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return append(out, marked("  ", a[len(a)-tail:])...)
}

func marked(mark string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = mark + l
	}
	return out
}

// middle aligns by the longest common subsequence.
func middle(a, b []string) []string {
	if len(a) > maxCompared || len(b) > maxCompared {
		return append(marked("- ", a), marked("+ ", b)...)
	}
	common := make([][]int, len(a)+1) // of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if x == y {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []string
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, "  "+a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return out
}

// What around keeps.
const (
	nearby   = 2   // unchanged lines before and after a change
	maxShown = 60  // lines in all
	maxLine  = 200 // bytes of a line
)

// around is a diff cut to its changes and a little of what surrounds them.
func around(diff []string) []string {
	near := make([]bool, len(diff))
	for i, l := range diff {
		if l[0] == ' ' {
			continue
		}
		for k := max(0, i-nearby); k <= min(len(diff)-1, i+nearby); k++ {
			near[k] = true
		}
	}
	var out []string
	for i, l := range diff {
		switch {
		case len(out) == maxShown:
			return append(out, "  …")
		case near[i]:
			out = append(out, cut(l))
		case i == 0 || near[i-1]:
			out = append(out, "  …")
		}
	}
	return out
}

func cut(line string) string {
	if len(line) <= maxLine {
		return line
	}
	end := maxLine
	for end > 0 && line[end]&0xc0 == 0x80 {
		end--
	}
	return line[:end] + "…"
}
