package providers

// Priced tells whether every candidate of a model has a known price, so that what a call costs will be known whoever
// answers. The candidates of a chain may have different ones.
func Priced(m Model) bool {
	if p, ok := m.(interface{ Priced() bool }); ok {
		return p.Priced()
	}
	c, ok := m.(Capable)
	return ok && c.Capabilities().Price != nil
}

// Priced is what the function Priced asks.
func (c *chain) Priced() bool {
	for _, m := range c.members {
		if !Priced(m.model) {
			return false
		}
	}
	return true
}
