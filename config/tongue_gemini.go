package config

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/swarmrun/swarmrun/config/diag"
	"github.com/swarmrun/swarmrun/internal/frontmatter"
)

// gemini is how Gemini writes agents that run here; remote ones are named and left out.
func gemini() *tongue {
	return &tongue{
		origin: FromGemini,
		own: map[string]func(s *speaker, k, v *yaml.Node){
			"tools":        (*speaker).toolList,
			"model":        (*speaker).models,
			"temperature":  (*speaker).temperature,
			"timeout_mins": (*speaker).minutes,
		},
		told: []string{"kind", "display_name", "query", "auth", "agent_card_url", "agent_card_json"},
		done: func(s *speaker) {
			s.to.MaxTurns = Value[int]{V: 30, At: s.doc.Fence, Key: s.doc.Fence.Span()} // unless max_turns says otherwise
			if !s.to.Timeout.Set() {
				s.to.Timeout = Value[time.Duration]{V: 10 * time.Minute, At: s.doc.Fence, Key: s.doc.Fence.Span()}
			}
		},
	}
}

func (s *speaker) temperature(k, v *yaml.Node) {
	if f, ok := number(0, 2).read(s.decoder, v); ok {
		s.to.Parameters.V.Temperature = &f
		s.parametersAt(k, v)
	}
}

func (s *speaker) parametersAt(k, v *yaml.Node) {
	if !s.to.Parameters.Set() {
		s.to.Parameters.At, s.to.Parameters.Key = s.at(v), s.at(k).Span()
	}
}

// extra is a parameter that goes into the request as it is.
func (s *speaker) extra(k, v *yaml.Node) {
	raw, ok := s.toJSON(v)
	if !ok {
		return
	}
	if s.to.Parameters.V.Extra == nil {
		s.to.Parameters.V.Extra = map[string]json.RawMessage{}
	}
	s.to.Parameters.V.Extra[k.Value] = raw
	s.parametersAt(k, v)
}

func (s *speaker) minutes(k, v *yaml.Node) {
	text, _ := scalar(v)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n <= 0 || n > 1e6 {
		s.wrong(v, "a number of minutes")
		return
	}
	s.to.Timeout = Value[time.Duration]{V: time.Duration(n * float64(time.Minute)), At: s.at(v), Key: s.at(k).Span()}
}

// remoteAgents tells of agents that run elsewhere, which a Gemini file may hold one or a list of; false when there are none.
func remoteAgents(doc *frontmatter.Document, src string, def *Definition, ds diag.List) (diag.List, bool) {
	if doc.Root != nil {
		kind := child(doc.Root, "kind")
		if kind == nil || kind.Value != "remote" {
			return ds, false
		}
		if name := child(doc.Root, "name"); name != nil {
			def.Name, def.At = name.Value, doc.Range(name)
		}
		def.Status = Skipped
		return append(ds, diag.New("W-INACTIVE", doc.Range(kind), "the agent %q runs on another machine, which this version does not reach", def.Name)), true
	}
	var listed []string
	for line := range strings.Lines(src) {
		text := strings.TrimLeft(strings.TrimSpace(line), "- ")
		if name, ok := strings.CutPrefix(text, "name:"); ok {
			listed = append(listed, strings.Trim(strings.TrimSpace(name), `"'`))
		}
	}
	shaped := false
	for _, d := range ds {
		shaped = shaped || d.Code == "E-YAML-SHAPE"
	}
	if !shaped || !strings.Contains(src, "agent_card") {
		return ds, false
	}
	def.Status = Skipped
	return diag.List{diag.New("W-INACTIVE", doc.Fence, "the agents %s run on other machines, which this version does not reach", strings.Join(listed, ", "))}, true
}
