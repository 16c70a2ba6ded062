package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/swarmrun/swarmrun/runner/ci"
)

// jobs replays a thousand cases of three turns with two calls of Read, each in a folder of its own, and one of them alone.
func jobs(ctx context.Context, b *bench) ([]row, error) {
	const cases = 1000
	dir, err := b.jobFiles(cases)
	if err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, b.swarmrun, "-C", dir, "-q", "ci", "--record").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("record: %w\n%s", err, out)
	}
	all, err := median(ctx, max(3, b.rounds/8), b.swarmrun, "-C", dir, "-q", "ci", "--json", filepath.Join(dir, "one.json"))
	if err != nil {
		return nil, err
	}
	if _, err := median(ctx, 1, b.swarmrun, "-C", dir, "-q", "ci", "--json", filepath.Join(dir, "two.json")); err != nil {
		return nil, err
	}
	if err := equalReports(filepath.Join(dir, "one.json"), filepath.Join(dir, "two.json")); err != nil {
		return nil, err
	}
	single, err := b.jobFiles(1)
	if err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, b.swarmrun, "-C", single, "-q", "ci", "--record").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("record: %w\n%s", err, out)
	}
	one, err := median(ctx, b.rounds, b.swarmrun, "-C", single, "-q", "ci")
	if err != nil {
		return nil, err
	}
	return []row{
		{fmt.Sprintf("`ci` of %d replayed cases of 3 turns", cases), ms(all.wall), "", "", "8 s"},
		{"… CPU time", ms(all.cpu), "", "", ""},
		{"… peak memory", mib(all.rss), "", "", "200 MiB"},
		{"`ci` of one replayed case", ms(one.wall), "", "", "60 ms"},
		{"… CPU time", ms(one.cpu), "", "", ""},
	}, nil
}

// jobFiles writes a job of so many cases over an agent that reads a file twice.
func (b *bench) jobFiles(cases int) (string, error) {
	dir, err := os.MkdirTemp(b.dir, "jobs-")
	if err != nil {
		return "", err
	}
	numbers := make([]string, cases)
	for i := range numbers {
		numbers[i] = fmt.Sprint(i)
	}
	return dir, writeFiles(dir, map[string]string{
		"swarmrun.yaml":    "version: 1\n",
		"agents/reader.md": "---\ndescription: Reads files.\nmodel: script/reader\ntools: [Read]\n---\nYou read files.\n",
		"models/reader.yaml": "version: 1\nrules:\n  - when: {turn: \"<=2\"}\n    reply: {tool_calls: [{name: Read, input: {file_path: data.txt, limit: \"{{ .Turn | raw }}\"}}]}\n" +
			"  - reply: {text: It has a line of the file.}\n",
		"fixture/data.txt": strings.Repeat("a line of the file\n", 60),
		"jobs/read.yaml": "agent: reader\nsetup: fixture\nmatrix: {n: [" + strings.Join(numbers, ", ") + "]}\nprompt: Read data.txt for the ${{ matrix.n }}th time.\n" +
			"cassette: cassettes/${{ matrix.n }}.yaml\nexpect: [{contains: a line}, {tool_called: {name: Read, times: 2}}, {turns: 3}]\n",
	})
}

// equalReports tells of reports that differ in more than their clocks.
func equalReports(files ...string) error {
	var first []byte
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		r, err := ci.Parse(raw)
		if err != nil {
			return err
		}
		if raw, err = json.Marshal(r.Untimed()); err != nil {
			return err
		}
		if first != nil && !bytes.Equal(first, raw) {
			return errors.New("two replays of the same cases have different reports")
		}
		first = raw
	}
	return nil
}
