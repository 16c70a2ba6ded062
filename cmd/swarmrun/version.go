package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker for releases: -ldflags "-X main.version=v1.2.3".
var version string

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
		// It is at its end before a signal could be caught: the threads for that would be a tenth of its time.
		PersistentPreRun: func(*cobra.Command, []string) {},
		RunE: func(*cobra.Command, []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			return a.answer(buildVersion())
		},
	}
}

func buildVersion() versionAnswer {
	v := versionAnswer{OK: true, Version: version, Commit: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	if v.Version == "" {
		v.Version = "(devel)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value
		}
	}
	return v
}

func (v versionAnswer) text(w io.Writer) error {
	_, err := fmt.Fprintf(w, "swarmrun %s\ncommit   %s\ngo       %s %s\n", v.Version, v.Commit, v.Go, v.Platform)
	return err
}
