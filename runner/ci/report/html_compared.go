package report

// compared is the comparison as the page shows it.
type compared struct {
	When   string
	Broken []string
	Sums   []sumRow
	Lists  []changeList
}

type sumRow struct{ Label, Was, Is, Growth, Class string }

type changeList struct {
	Class, Title string
	Open         bool
	Changes      []changeRow
}

type changeRow struct{ ID, Was, Is, Growth string }

func newCompared(c *Comparison) *compared {
	out := &compared{Broken: c.Broken}
	if !c.Base.Started.IsZero() {
		out.When = c.Base.Started.UTC().Format("2 January 2006, 15:04 UTC")
	}
	out.sum("cost", c.Cost, price)
	out.sum("tokens", c.Tokens, func(n float64) string { return grouped(int(n)) })
	out.sum("time of live attempts", c.Time, func(ms float64) string { return took(int64(ms)) })
	out.changes("worse", c.Worse)
	out.changes("better", c.Better)
	out.changes("dearer", c.Dearer)
	out.changes("slower", c.Slower)
	out.ids("new", c.New)
	out.ids("gone", c.Gone)
	return out
}

func (p *compared) sum(label string, s Sum, show func(float64) string) {
	if s.Was == 0 && s.Is == 0 {
		return
	}
	row := sumRow{Label: label, Was: show(s.Was), Is: show(s.Is), Growth: growth(s.Growth())}
	if g := s.Growth(); g > 0.005 {
		row.Class = "up"
	} else if g < -0.005 {
		row.Class = "down"
	}
	p.Sums = append(p.Sums, row)
}

// changes adds the list of the cases that are so.
func (p *compared) changes(word string, changes []Change) {
	if len(changes) == 0 {
		return
	}
	list := changeList{Class: word, Title: plural(len(changes), "case") + " " + word, Open: word == "worse"}
	for _, change := range changes[:min(len(changes), shownProblems)] {
		row := changeRow{ID: change.ID, Was: change.Was, Is: change.Is}
		if change.Difference != 0 {
			row.Growth = growth(change.Difference)
		}
		list.Changes = append(list.Changes, row)
	}
	p.Lists = append(p.Lists, list)
}

func (p *compared) ids(word string, ids []string) {
	if len(ids) == 0 {
		return
	}
	list := changeList{Title: plural(len(ids), "case") + " " + word}
	for _, id := range ids[:min(len(ids), shownProblems)] {
		list.Changes = append(list.Changes, changeRow{ID: id})
	}
	p.Lists = append(p.Lists, list)
}
