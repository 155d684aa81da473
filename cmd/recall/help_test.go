package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares with a file, or rewrites it if UPDATE is set.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); d != "" {
		t.Errorf("%s (-want +got; UPDATE=1 rewrites it):\n%s", file, d)
	}
}

func output(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if err := run(context.Background(), args, strings.NewReader(""), &out, &errs, func(string) string { return "" }); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if errs.Len() > 0 {
		t.Errorf("%v: standard error: %s", args, errs.String())
	}
	return out.String()
}

func commands() []string {
	var names []string
	for _, c := range newRoot(newApp(nil, nil, nil, nil, os.Getenv)).Commands() {
		names = append(names, c.Name())
	}
	return append(names, "help")
}

func TestHelp(t *testing.T) {
	golden(t, "testdata/help/recall.golden", output(t, "help"))
	for _, name := range commands() {
		text := output(t, "help", name)
		golden(t, filepath.Join("testdata", "help", name+".golden"), text)
		if flag := output(t, name, "--help"); flag != text {
			t.Errorf("%s --help differs from help %s", name, name)
		}
		if !strings.HasPrefix(text, "usage: recall "+name) {
			t.Errorf("%s: the synopsis is not first", name)
		}
		if !regexp.MustCompile(`\nExit codes: [^\n]*(\n[^\n]+)*\n$`).MatchString(text) {
			t.Errorf("%s: the exit codes are not last", name)
		}
		for line := range strings.Lines(text) {
			if len([]rune(line)) > 81 && !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: line is too long: %s", name, line)
			}
		}
	}
	if output(t) != output(t, "help") {
		t.Error("recall alone is not its help")
	}
}

func TestRootHelpNamesEveryCommand(t *testing.T) {
	text := output(t, "help")
	for _, name := range commands() {
		if !regexp.MustCompile(`(?m)^  ` + name + `\b`).MatchString(text) {
			t.Errorf("recall help does not name %s", name)
		}
	}
}

func TestConfigHelpNamesEverySetting(t *testing.T) {
	text := output(t, "help", "config")
	for _, k := range keys {
		if !strings.Contains(text, k.env) || !strings.Contains(text, k.name[strings.LastIndex(k.name, ".")+1:]) {
			t.Errorf("recall help config does not name %s", k.name)
		}
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range shells {
		if !strings.Contains(output(t, "completion", shell), "recall") {
			t.Errorf("%s: no script", shell)
		}
	}
}
