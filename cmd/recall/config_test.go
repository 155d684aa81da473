package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(k string) string { return m[k] }
}

func TestDefaultPlaces(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		reason, goos       string
		env                []string
		home, conf, source string
	}{
		{"linux", "linux", []string{"HOME", "/u"}, "/u/.local/share/recall", "/u/.config/recall/config.toml", "/u/.claude/projects"},
		{"XDG folders", "linux", []string{"HOME", "/u", "XDG_DATA_HOME", "/d", "XDG_CONFIG_HOME", "/c"}, "/d/recall", "/c/recall/config.toml", "/u/.claude/projects"},
		{"relative XDG folders are ignored", "linux", []string{"HOME", "/u", "XDG_DATA_HOME", "d"}, "/u/.local/share/recall", "/u/.config/recall/config.toml", "/u/.claude/projects"},
		{"the client's folder moved", "linux", []string{"HOME", "/u", "CLAUDE_CONFIG_DIR", "/cc"}, "/u/.local/share/recall", "/u/.config/recall/config.toml", "/cc/projects"},
		{"the client's folder, relative", "linux", []string{"HOME", "/u", "CLAUDE_CONFIG_DIR", "cc"}, "/u/.local/share/recall", "/u/.config/recall/config.toml", here + "/cc/projects"},
		{"macOS", "darwin", []string{"HOME", "/u"}, "/u/Library/Application Support/recall", "/u/Library/Application Support/recall/config.toml", "/u/.claude/projects"},
		{"Windows", "windows", []string{"USERPROFILE", "/u", "LocalAppData", "/l", "AppData", "/r"}, "/l/recall", "/r/recall/config.toml", "/u/.claude/projects"},
	} {
		if filepath.Separator != '/' {
			t.Skip("paths are written with slashes")
		}
		p := place{tc.goos, env(tc.env...)}
		for _, c := range []struct{ what, got, want string }{{"home", p.home(), tc.home}, {"config", p.config(), tc.conf}, {"sources", p.sources(), tc.source}} {
			if c.got != c.want {
				t.Errorf("%s: %s is %s, want %s", tc.reason, c.what, c.got, c.want)
			}
		}
	}
}

// TestNoFolderIsGuessed: without a home folder nothing is kept in, or read from,
// the working folder.
func TestNoFolderIsGuessed(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(filepath.Join(".config", "recall"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(".config", "recall", "config.toml"), []byte("limit = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := readConfig(place{"linux", env()}, "", nil)
	if err == nil || !strings.Contains(err.Error(), "set RECALL_") {
		t.Errorf("got %v", err)
	}
	c, err := readConfig(place{"linux", env("RECALL_HOME", "/data", "RECALL_SOURCES", "/history")}, "", nil)
	if err != nil || c.get("limit") != "10" {
		t.Errorf("got limit %v, %v", c, err)
	}
}

func TestOrderOfSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	text := "embedder = \"none\"\nlimit = 7\nsources = [\"~/a\", \"/b\"]\n[ollama]\nurl = \"http://127.0.0.1:1\"\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := place{"linux", env("HOME", "/u", "RECALL_CONFIG", file, "RECALL_LIMIT", "9", "RECALL_HOME", "/env")}
	c, err := readConfig(p, "", map[string]string{"home": "/flag"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []setting{
		{"home", "/flag", "--home"},
		{"limit", "9", "RECALL_LIMIT"},
		{"embedder", "none", file},
		{"ollama.url", "http://127.0.0.1:1", file},
		{"sources", "/u/a" + string(filepath.ListSeparator) + "/b", file},
		{"log_level", "warn", "default"},
	} {
		found := false
		for _, s := range c.settings {
			found = found || s == want
		}
		if !found {
			t.Errorf("want %v in %v", want, c.settings)
		}
	}
}

func TestBadConfig(t *testing.T) {
	for _, tc := range []struct{ reason, text, want string }{
		{"misspelt key", "embeder = \"e5\"", `there is no setting "embeder"; did you mean "embedder"?`},
		{"misspelt key in a table", "[ollama]\nurll = \"x\"", `did you mean "ollama.url"?`},
		{"key far from any", "colour_of_bikeshed = 1", `there is no setting "colour_of_bikeshed", only sources, home`},
		{"not TOML", "limit = = 3", "line 1"},
		{"out of range", "limit = 5000", `"5000" is not a number from 1 to`},
		{"not a number", "threads = \"many\"", `threads (`},
		{"unknown embedder", "embedder = \"gpt\"", `"gpt" is not an embedder`},
		{"list of numbers", "sources = [1]", "sources: a list of strings is wanted"},
	} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readConfig(place{"linux", env("HOME", "/u")}, file, nil)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
		}
	}
	if _, err := readConfig(place{"linux", env("HOME", "/u")}, "/no/such.toml", nil); err == nil {
		t.Error("a config file that was asked for may be missing")
	}
}
