package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/swarmrun/swarmrun/config"
	"github.com/swarmrun/swarmrun/internal/printable"
	"github.com/swarmrun/swarmrun/loader"
	"github.com/swarmrun/swarmrun/providers"
)

type configAnswer struct {
	OK       bool                 `json:"ok"`
	Settings map[string]fieldJSON `json:"settings"`

	origins []config.SettingOrigin
}

// configOf is what show config prints: each setting with the layer that it comes from. Keys are never shown.
func configOf(r *loader.Report) configAnswer {
	v := configAnswer{OK: true, Settings: map[string]fieldJSON{}, origins: r.Settings.Origins}
	for i, o := range v.origins {
		v.origins[i].Value = unsecret(o.Value)
		switch {
		case o.Secret:
			v.origins[i].Value = providers.Redacted
		case o.Path == "name" && o.Layer == "default":
			v.origins[i].Value = r.Name
		}
		v.Settings[o.Path] = fieldJSON{Value: v.origins[i].Value, Origin: o.Layer, File: o.At.File, Line: o.At.Start.Line}
	}
	return v
}

// unsecret is a value of the settings without what looks like a secret: user info and key parameters of addresses, tokens.
func unsecret(value string) string { return (*providers.Redactor)(nil).Text(value) }

func (v configAnswer) text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SETTING\tVALUE\tFROM")
	for _, o := range v.origins {
		from := o.Layer
		if o.At.Start.Line > 0 {
			from = where(o.At, o.At.File, o.Layer)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", printable.Line(o.Path), cut(printable.Line(o.Value), 80), from)
	}
	return t.Flush()
}
