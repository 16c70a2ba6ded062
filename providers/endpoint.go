package providers

// Endpoint is a provider that has a name: what a loader must know to build a candidate without asking anybody.
type Endpoint struct {
	Name       string
	Aliases    []string
	BaseURL    string   // "" = must be configured
	BaseURLVar string   // variable that may hold it
	KeyVars    []string // variables that may hold the key, best first
	Keyless    bool     // a key is possible but not needed
}

// Called tells whether the endpoint has this name or alias.
func (e *Endpoint) Called(name string) bool {
	if e.Name == name {
		return true
	}
	for _, a := range e.Aliases {
		if a == name {
			return true
		}
	}
	return false
}
