package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of a kind of definition: agent, tool, mcp, model, job, settings",
		Long: "Print the JSON Schema of a kind of definition: agent (default), tool, mcp, model, job, settings.\n\n" +
			"For Markdown kinds it describes the frontmatter.",
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			word := strings.TrimSuffix(strings.Join(args, ""), "s")
			if word == "" {
				word = string(config.KindAgent)
			}
			if word == "setting" {
				word = "settings"
			}
			schema, ok := config.JSONSchema(config.Kind(word))
			if !ok {
				return usagef("no schema for %q", word).hint("kinds with a schema: agent, tool, mcp, model, job, settings")
			}
			_, err := a.stdout.Write(append(schema, '\n'))
			return err
		},
	}
}
