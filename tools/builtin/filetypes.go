package builtin

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// fileType is a language and the names of its files.
type fileType struct {
	name  string
	globs []string
}

// fileTypes lists what Grep's type may be, by name.
func fileTypes() []fileType {
	return []fileType{
		{"bash", []string{"*.bash", "*.sh"}},
		{"c", []string{"*.c", "*.h"}},
		{"cpp", []string{"*.cc", "*.cpp", "*.cxx", "*.h", "*.hh", "*.hpp", "*.hxx"}},
		{"cs", []string{"*.cs"}},
		{"css", []string{"*.css", "*.less", "*.sass", "*.scss"}},
		{"dart", []string{"*.dart"}},
		{"docker", []string{"Dockerfile*", "*.dockerfile"}},
		{"elixir", []string{"*.ex", "*.exs"}},
		{"erlang", []string{"*.erl", "*.hrl"}},
		{"go", []string{"*.go"}},
		{"graphql", []string{"*.graphql", "*.gql"}},
		{"haskell", []string{"*.hs"}},
		{"html", []string{"*.html", "*.htm"}},
		{"java", []string{"*.java"}},
		{"js", []string{"*.js", "*.jsx", "*.cjs", "*.mjs", "*.vue"}},
		{"json", []string{"*.json", "*.jsonl"}},
		{"kotlin", []string{"*.kt", "*.kts"}},
		{"lua", []string{"*.lua"}},
		{"make", []string{"Makefile*", "makefile*", "GNUmakefile", "*.mk"}},
		{"md", []string{"*.md", "*.mdx", "*.markdown"}},
		{"ocaml", []string{"*.ml", "*.mli"}},
		{"perl", []string{"*.pl", "*.pm"}},
		{"php", []string{"*.php"}},
		{"proto", []string{"*.proto"}},
		{"py", []string{"*.py", "*.pyi"}},
		{"r", []string{"*.r", "*.R", "*.Rmd"}},
		{"ruby", []string{"*.rb", "*.rake", "*.gemspec", "Gemfile", "Rakefile"}},
		{"rust", []string{"*.rs"}},
		{"scala", []string{"*.scala", "*.sbt"}},
		{"sh", []string{"*.sh", "*.bash", "*.zsh"}},
		{"sql", []string{"*.sql"}},
		{"swift", []string{"*.swift"}},
		{"terraform", []string{"*.tf", "*.tfvars"}},
		{"toml", []string{"*.toml"}},
		{"ts", []string{"*.ts", "*.tsx", "*.cts", "*.mts"}},
		{"txt", []string{"*.txt"}},
		{"xml", []string{"*.xml", "*.xsd", "*.xsl"}},
		{"yaml", []string{"*.yaml", "*.yml"}},
		{"zig", []string{"*.zig"}},
	}
}

// typeGlobs returns the name patterns of a type, or an error that lists the types.
func typeGlobs(name string) ([]string, error) {
	types := fileTypes()
	names := make([]string, len(types))
	for i, t := range types {
		if t.name == name {
			return t.globs, nil
		}
		names[i] = t.name
	}
	return nil, fmt.Errorf("there is no type %q; types are %s; for others use glob", name, strings.Join(names, ", "))
}

// fitsName reports whether the last element of rel fits one of the globs.
func fitsName(globs []string, rel string) bool {
	return slices.ContainsFunc(globs, func(g string) bool {
		ok, err := path.Match(g, path.Base(rel))
		return ok && err == nil
	})
}
