package schema

import (
	"fmt"
	"strconv"
)

func (v *visit) item(n *node, items []any, i int) *visit {
	return v.part(n, items[i], &place{v.at, strconv.Itoa(i), false})
}

// itemsRule has schemas for the first items, and one for those after them, or says that there may be none.
func itemsRule(first []*node, rest *node, closed bool) rule {
	return func(v *visit) {
		items, ok := v.value.([]any)
		if !ok {
			return
		}
		for i := range min(len(items), len(first)) {
			if v.over() {
				return
			}
			v.adopt(v.item(first[i], items, i))
			v.sawItem(i)
		}
		for i := len(first); i < len(items) && rest != nil; i++ {
			if v.over() {
				return
			}
			v.adopt(v.item(rest, items, i))
		}
		if more := len(items) - len(first); closed && more > 0 {
			v.fault(func() string { return fmt.Sprintf("has %s too many", count(more, "item")) })
		}
		if rest != nil || closed {
			v.seen.all = true
		}
	}
}

func uniqueRule(v *visit) {
	items, ok := v.value.([]any)
	if !ok || len(items) < 2 {
		return
	}
	if first, second, ok := v.duplicate(items); ok {
		v.add(finding{at: &place{v.at, strconv.Itoa(second), false}, say: func() string {
			return fmt.Sprintf("equals item %d, and no two may be equal", first)
		}})
	}
}

// containsRule counts the items of a form; least and most may be nil. marks is set where such an item counts as looked at.
func containsRule(n *node, least, most *int, marks bool) rule {
	return func(v *visit) {
		items, ok := v.value.([]any)
		if !ok {
			return
		}
		fitting := 0
		for i := range items {
			if v.broken != "" {
				return
			}
			w := &visit{budget: v.budget, node: n, value: items[i], above: v, inside: true, quiet: true, marks: n.asks}
			if w.run(); w.failed {
				continue
			}
			fitting++
			if marks {
				v.sawItem(i)
			}
		}
		if least == nil && fitting == 0 {
			v.fault(func() string { return "has no item of the form that one must have" })
		}
		if least != nil && fitting < *least {
			v.fault(func() string {
				return fmt.Sprintf("must have at least %s of the required form, has %d", count(*least, "item"), fitting)
			})
		}
		if most != nil && fitting > *most {
			v.fault(func() string {
				return fmt.Sprintf("must have at most %s of the limited form, has %d", count(*most, "item"), fitting)
			})
		}
	}
}

// unseenItemsRule is unevaluatedItems: it comes after all other rules.
func unseenItemsRule(n *node) rule {
	return func(v *visit) {
		items, ok := v.value.([]any)
		if !ok || v.seen.all {
			return
		}
		v.spend(len(items))
		for i := range items {
			if !v.seen.items[i] && !v.over() {
				v.adopt(v.item(n, items, i))
			}
		}
		v.seen.all = true
	}
}
