package config

import (
	"encoding/json"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// toJSON is a node as JSON, with the keys in the order of the file. False: a part of it cannot be JSON, and has been reported.
func (d *decoder) toJSON(n *yaml.Node) (json.RawMessage, bool) {
	raw, bad := frontmatter.JSON(n)
	if bad != nil {
		d.wrong(bad.Node, bad.Want)
		return nil, false
	}
	return raw, true
}
