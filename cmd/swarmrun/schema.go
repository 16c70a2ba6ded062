package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of a kind of definition",
		Long: "Print the JSON Schema of a kind of definition, by default agent: " + described() + ".\n\n" +
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
				return usagef("no schema for %q", word).hint("kinds with a schema: %s", described())
			}
			_, err := a.stdout.Write(append(schema, '\n'))
			return err
		},
	}
}

// described are the kinds that have a schema.
func described() string {
	var names []string
	for _, k := range config.Described() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}
