package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// start is the price of every invocation, beside that of the bare one-shot, and the size of the binary. `version` is answered
// before the program is all there, `help` after that like every other command.
func start(ctx context.Context, b *bench) ([]row, error) {
	_, bare, end, err := b.sides(0)
	if err != nil {
		return nil, err
	}
	defer end()
	answer, oneShot, err := pair(ctx, b.rounds, []string{b.swarmrun, "version"}, bare)
	if err != nil {
		return nil, err
	}
	whole, _, err := pair(ctx, b.rounds, []string{b.swarmrun, "help"}, bare)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(b.swarmrun)
	if err != nil {
		return nil, err
	}
	return []row{
		{"`swarmrun version`", ms(answer.wall), ms(oneShot.wall), ratio(answer.wall, oneShot.wall), "15 ms"},
		{"… CPU time", ms(answer.cpu), ms(oneShot.cpu), ratio(answer.cpu, oneShot.cpu), ""},
		{"the start of every other command (`help`)", ms(whole.wall), ms(oneShot.wall), ratio(whole.wall, oneShot.wall), ""},
		{"… CPU time", ms(whole.cpu), ms(oneShot.cpu), ratio(whole.cpu, oneShot.cpu), ""},
		{"stripped binary", fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), "", "", "30 MB"},
	}, nil
}

// oneShot is a run without tools against the bare loop on the same server.
func oneShot(ctx context.Context, b *bench) ([]row, error) {
	ours, bare, err := b.compare(ctx, 0)
	if err != nil {
		return nil, err
	}
	return []row{
		{"one-shot run, no tools", ms(ours.wall), ms(bare.wall), ratio(ours.wall, bare.wall), "5"},
		{"… CPU time", ms(ours.cpu), ms(bare.cpu), ratio(ours.cpu, bare.cpu), ""},
	}, nil
}

// fiftyTurns is a run of 50 turns with one tool call each.
func fiftyTurns(ctx context.Context, b *bench) ([]row, error) {
	ours, bare, err := b.compare(ctx, 50)
	if err != nil {
		return nil, err
	}
	return []row{
		{"50 turns with a tool call", ms(ours.wall), ms(bare.wall), ratio(ours.wall, bare.wall), "2.5"},
		{"… CPU time", ms(ours.cpu), ms(bare.cpu), ratio(ours.cpu, bare.cpu), ""},
		{"… peak memory", mib(ours.rss), mib(bare.rss), "", "45 MiB"},
	}, nil
}

// compare runs both sides against a server of their own that asks for turns tool calls.
func (b *bench) compare(ctx context.Context, turns int) (ours, bare sample, err error) {
	mine, theirs, end, err := b.sides(turns)
	if err != nil {
		return ours, bare, err
	}
	defer end()
	return pair(ctx, b.rounds, mine, theirs)
}

// sides starts a server that asks for turns tool calls, and gives the command lines that both sides speak to it with.
func (b *bench) sides(turns int) (ours, bare []string, end func(), err error) {
	file := filepath.Join(b.dir, "data.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("a line of the file\n", 60)), 0o644); err != nil {
		return nil, nil, nil, err
	}
	srv, err := startServer(turns, file, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	dir, err := b.workspace(srv.url)
	if err != nil {
		srv.close()
		return nil, nil, nil, err
	}
	return []string{b.swarmrun, "-C", dir, "-q", "run", "reader", "Read " + file}, []string{b.bare, srv.url, file}, srv.close, nil
}

// workspace writes an agent that reads files and asks the server at url.
func (b *bench) workspace(url string) (string, error) {
	dir, err := os.MkdirTemp(b.dir, "workspace-")
	if err != nil {
		return "", err
	}
	return dir, writeFiles(dir, map[string]string{
		"swarmrun.yaml": "version: 1\nproviders:\n  local: {base_url: \"" + url + "\", api_key: none}\n" +
			"models:\n  bench: {provider: local, model: bench, price: {input: 0, output: 0}, context_window: 1000000}\ndefaults: {model: bench, max_turns: 100}\n",
		"agents/reader.md": "---\ndescription: Reads files.\ntools: [Read]\ndirectories: [\"" + b.dir + "\"]\n---\nYou read files.\n",
	})
}

// writeFiles writes files, by their paths in a folder, with the folders that they are in.
func writeFiles(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// validate checks workspaces of 1,000 and 10,000 agent files.
func validate(ctx context.Context, b *bench) ([]row, error) {
	var rows []row
	var thousand time.Duration
	for _, n := range []int{1000, 10000} {
		dir, bytes, err := b.agentFiles(n)
		if err != nil {
			return nil, err
		}
		m, err := median(ctx, max(3, b.rounds/4), b.swarmrun, "-C", dir, "-q", "validate")
		if err != nil {
			return nil, err
		}
		r := row{fmt.Sprintf("`validate` of %d files", n), ms(m.wall), "", "", "150 ms"}
		if n == 1000 {
			thousand = m.wall
		} else {
			r.baseline, r.ratio, r.bar = "10 × that of 1,000", ratio(m.wall, 10*thousand), "linear"
		}
		limit := 3*bytes + 20<<20
		rows = append(rows, r, row{"… peak memory", mib(m.rss), mib(bytes) + " read", "", mib(limit)})
	}
	return rows, nil
}

// agentFiles writes n agents of the size that public agent files have, and returns the bytes.
func (b *bench) agentFiles(n int) (dir string, bytes int64, err error) {
	dir = filepath.Join(b.dir, fmt.Sprintf("agents-%d", n))
	if err := os.MkdirAll(filepath.Join(dir, "agents"), 0o755); err != nil {
		return "", 0, err
	}
	body := strings.Repeat("You look at one part of the system and say what you found, with file and line.\n\n- Name the cause.\n- Name the way out.\n\n", 20)
	for i := range n {
		text := fmt.Sprintf("---\nname: agent-%d\ndescription: Looks at part %d of the system and reports.\nmodel: openai/gpt-5\n"+
			"tools: [Read, Grep, Glob, \"Bash(git log *)\"]\nmax_turns: %d\n---\n%s", i, i, 10+i%40, body)
		bytes += int64(len(text))
		if err := os.WriteFile(filepath.Join(dir, "agents", fmt.Sprintf("agent-%d.md", i)), []byte(text), 0o644); err != nil {
			return "", 0, err
		}
	}
	return dir, bytes, nil
}
