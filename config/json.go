package config

import (
	"encoding/json"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// toJSON is a node as JSON, with the keys in the order of the file. False: parts of it cannot be JSON, and have been reported.
func (d *decoder) toJSON(n *yaml.Node) (json.RawMessage, bool) {
	raw, unfit := frontmatter.JSON(n)
	for _, bad := range unfit {
		d.wrong(bad.Node, bad.Want)
	}
	return raw, len(unfit) == 0
}
