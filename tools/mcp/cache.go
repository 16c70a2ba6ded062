package mcp

import (
	"encoding/json"
	"path/filepath"

	"github.com/swarmrun/swarmrun/internal/wholefile"
)

const (
	listingVersion = 1
	maxListing     = 8 << 20 // bytes of a stored list
)

// cached is the list that a server of a fingerprint had the last time; nil when there is none that can be used. The file may
// have been changed by anybody, so it is held to the same bounds as what a server says.
func (o *Options) cached(key string) *listing {
	if o.Cache == "" {
		return nil
	}
	path := filepath.Join(o.Cache, key+".json")
	data, err := wholefile.Read(path, maxListing)
	if err != nil {
		return nil
	}
	var stored listing
	if json.Unmarshal(data, &stored) != nil || stored.Version != listingVersion || len(stored.Tools) > maxTools {
		return nil
	}
	out := &listing{Version: listingVersion, Tools: []remote{}, Resources: stored.Resources, Prompts: stored.Prompts}
	for _, t := range stored.Tools {
		out.add(t.Name, t.Description, t.Schema)
	}
	return out.unique()
}

// keep stores a list for the next process. One that cannot be stored is asked for again, so a failure harms nobody.
func (o *Options) keep(key string, l *listing) error {
	if o.Cache == "" {
		return nil
	}
	data, err := json.Marshal(l)
	if err != nil || len(data) > maxListing {
		return err
	}
	return wholefile.ReplacePrivate(filepath.Join(o.Cache, key+".json"), data)
}
