package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmrun/swarmrun/config"
)

func (a *app) schemaCommand() *cobra.Command {
	install := false
	cmd := &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of a kind of definition",
		Long: "Print the JSON Schema of a kind of definition, by default agent: " + strings.Join(described(), ", ") + ".\n\n" +
			"For Markdown kinds it describes the frontmatter. With --install the schemas of swarmrun.yaml, models/ and jobs/ are written\n" +
			"where VS Code, and editors that read its settings, find them for their YAML extension; settings that are there stay.",
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.formats(formatText, formatJSON); err != nil {
				return err
			}
			if install && len(args) > 0 {
				return usagef("--install takes no kind").hint("it writes the schemas of all kinds that are YAML")
			}
			if install {
				return a.installSchemas()
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
				return usagef("no schema for %q", word).near(word, described(), "kinds with a schema")
			}
			_, err := a.stdout.Write(schema)
			return err
		},
	}
	cmd.Flags().BoolVar(&install, "install", false, "write the schemas and the settings of an editor")
	return cmd
}

// described are the kinds that have a schema.
func described() []string {
	var names []string
	for _, k := range config.Described() {
		names = append(names, string(k))
	}
	return names
}
