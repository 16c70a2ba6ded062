package runner

import (
	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/providers"
)

// lease takes the graph and finds in it what the request names.
func (r *run) lease() (release func(), f *failure) {
	r.id = r.req.ID
	if r.id == "" {
		r.id = r.r.o.NewID()
	}
	source := r.w.Source
	if source == nil {
		source = r.r.source
	}
	graph, release, err := source.Acquire()
	if err != nil {
		return func() {}, refusal(err)
	}
	r.graph = graph
	r.learn()
	return release, r.find()
}

// learn makes the redactor know the secrets that are known by now: a key is looked up at the first send.
func (r *run) learn() { r.link.redact.Add(r.graph.Secrets()...) }

// find chooses the target and its model.
func (r *run) find() *failure {
	r.fork()
	inherits := false
	if a, ok := r.graph.Agent(r.req.Target); ok {
		inherits = r.link.model != nil && a.Model == nil
	}
	start := r.graph.Start
	if r.req.Model != "" || inherits {
		start = r.graph.StartWithModel
	}
	target, err := start(r.req.Target)
	if err != nil {
		return refusal(err)
	}
	r.target = target
	switch {
	case r.req.Model != "":
		if r.model, err = r.graph.Model(r.req.Model); err != nil {
			return noModel(err)
		}
	case target.Model != nil:
		r.model = target.Model
	case inherits:
		r.model = r.link.model
	default:
		r.model = target.Alone
	}
	return r.priced()
}

// priced refuses a budget of money over a model whose price nobody knows, the summariser included.
func (r *run) priced() *failure {
	for _, m := range [...]providers.Model{r.model, r.target.Summariser} {
		if !r.costs() || m == nil || providers.Priced(m) {
			continue
		}
		d := diag.New("E-BUDGET-PRICE", r.target.Origin, "agent %q has a cost budget, and the price of %s is unknown", r.target.Name, m.Name()).
			Suggest("give the model a price in models:, or limit tokens instead")
		return refusal(&diag.ListError{List: diag.List{d}})
	}
	return nil
}

// costs tells whether money is limited.
func (r *run) costs() bool {
	return r.target.Limits.Budget.Cost+r.req.Budget.Cost > 0 || r.req.Parent == nil && r.graph.Budget().Cost > 0
}

// capabilities of a model; none when it does not tell.
func capabilities(m providers.Model) providers.Capabilities {
	if c, ok := m.(providers.Capable); ok {
		return c.Capabilities()
	}
	return providers.Capabilities{}
}
