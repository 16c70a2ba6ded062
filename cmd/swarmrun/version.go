package main

import (
	"cmp"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/cmd/swarmrun/internal/version"
)

type versionAnswer struct {
	OK       bool   `json:"ok"`
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print version, commit and Go version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			b := buildVersion()
			return a.answer(versionAnswer{true, b.Version, b.Commit, b.Go, b.Platform})
		},
	}
}

// buildVersion is what the linker was told, else what Go has noted of the module and its repository.
func buildVersion() version.Build {
	b := version.Told()
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = cmp.Or(b.Commit, s.Value)
			}
		}
	}
	b.Version, b.Commit = cmp.Or(b.Version, "(devel)"), cmp.Or(b.Commit, "unknown")
	return b
}

func (v versionAnswer) text(w io.Writer) error {
	_, err := io.WriteString(w, version.Build{Version: v.Version, Commit: v.Commit, Go: v.Go, Platform: v.Platform}.String())
	return err
}
