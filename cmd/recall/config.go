package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// key is one setting. Its value comes from the flag, else the environment, else
// the config file, else def.
type key struct {
	name  string // in config.toml; a dot for a table
	env   string
	flag  string // "" when there is none
	def   func(place) string
	check func(string) error // nil: any text
	// folder settings must not depend on the working folder by default.
	folder bool
}

// keys are all settings. Lists are joined by the platform's list separator.
var keys = []key{
	{"sources", "RECALL_SOURCES", "source", place.sources, nil, true},
	{"home", "RECALL_HOME", "home", place.home, nil, true},
	{"embedder", "RECALL_EMBEDDER", "embedder", fixed("e5"), checkEmbedder, false},
	{"threads", "RECALL_THREADS", "", fixed("0"), checkCount, false},
	{"kernel", "RECALL_KERNEL", "", fixed(""), nil, false},
	{"limit", "RECALL_LIMIT", "", fixed("10"), checkLimit, false},
	{"log_level", "RECALL_LOG_LEVEL", "", fixed("warn"), checkLevel, false},
	{"ollama.url", "RECALL_OLLAMA_URL", "", fixed(""), nil, false},
	{"ollama.num_thread", "RECALL_OLLAMA_NUM_THREAD", "", fixed("0"), checkCount, false},
}

// setting is the value of a key and where it came from.
type setting struct{ key, value, from string }

// config holds the effective settings, in the order of keys.
type config struct {
	file     string // config.toml, whether it exists or not
	settings []setting
}

func (c *config) get(name string) string {
	for _, s := range c.settings {
		if s.key == name {
			return s.value
		}
	}
	return ""
}

func (c *config) list(name string) []string {
	var out []string
	for _, s := range filepath.SplitList(c.get(name)) {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func (c *config) num(name string) int {
	n, _ := strconv.Atoi(c.get(name)) // checked when it was read
	return n
}

// readConfig finds the value of every key. Flags holds those given on the
// command line, by flag name; file overrides where config.toml is.
func readConfig(p place, file string, flags map[string]string) (*config, error) {
	c := &config{file: file}
	from := "--config"
	if c.file == "" {
		c.file, from = p.getenv("RECALL_CONFIG"), "RECALL_CONFIG"
	}
	asked := c.file != ""
	if !asked {
		c.file = p.config()
	}
	var inFile map[string]string
	var err error
	if asked || filepath.IsAbs(c.file) {
		inFile, err = readFile(c.file)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && asked:
		return nil, hintf("config", "recall status -v", "%s names %s, which does not exist", from, c.file)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	for _, k := range keys {
		s := k.pick(p, c.file, inFile, flags)
		if s.from == "default" && k.folder && !filepath.IsAbs(s.value) {
			return nil, hintf("config", "recall help config", "no folder for %s is known, since no home folder is: set %s", k.name, k.env)
		}
		if k.check != nil {
			if err := k.check(s.value); err != nil {
				return nil, hintf("config", "recall help config", "%s (%s): %v", k.name, s.from, err)
			}
		}
		c.settings = append(c.settings, s)
	}
	return c, nil
}

func (k key) pick(p place, file string, inFile, flags map[string]string) setting {
	if v, ok := flags[k.flag]; ok && k.flag != "" {
		return setting{k.name, v, "--" + k.flag}
	}
	if v := p.getenv(k.env); v != "" {
		return setting{k.name, v, k.env}
	}
	if v, ok := inFile[k.name]; ok {
		return setting{k.name, p.expand(v), file}
	}
	return setting{k.name, k.def(p), "default"}
}

// readFile returns the settings of a config file by their full names.
func readFile(file string) (map[string]string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := toml.Unmarshal(b, &tree); err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) {
			err = fmt.Errorf("line %d: %s", parse.Position.Line, parse.Message)
		}
		return nil, hintf("config", "recall help config", "%s: %v", file, err)
	}
	out := map[string]string{}
	if err := flatten(out, "", tree); err != nil {
		return nil, hintf("config", "recall help config", "%s: %v", file, err)
	}
	return out, nil
}

func flatten(out map[string]string, prefix string, tree map[string]any) error {
	for name, v := range tree {
		name = prefix + name
		if sub, ok := v.(map[string]any); ok {
			if err := flatten(out, name+".", sub); err != nil {
				return err
			}
			continue
		}
		if !slices.ContainsFunc(keys, func(k key) bool { return k.name == name }) {
			return unknownKey(name)
		}
		s, err := scalar(v)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out[name] = s
	}
	return nil
}

func unknownKey(name string) error {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	if n := nearest(name, names); n != "" {
		return fmt.Errorf("there is no setting %q; did you mean %q?", name, n)
	}
	return fmt.Errorf("there is no setting %q, only %s", name, strings.Join(names, ", "))
}

func scalar(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case int64, float64, bool:
		return fmt.Sprint(v), nil
	case []any:
		var list []string
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return "", errors.New("a list of strings is wanted")
			}
			list = append(list, s)
		}
		return strings.Join(list, string(filepath.ListSeparator)), nil
	}
	return "", errors.New("a string, a number or a list of strings is wanted")
}

func fixed(v string) func(place) string { return func(place) string { return v } }

func checkEmbedder(v string) error {
	if model, ok := strings.CutPrefix(v, "ollama:"); v == "e5" || v == "none" || ok && model != "" {
		return nil
	}
	return fmt.Errorf("%q is not an embedder: e5, none or ollama:MODEL", v)
}

func checkCount(v string) error {
	if n, err := strconv.Atoi(v); err != nil || n < 0 || n > 1024 {
		return fmt.Errorf("%q is not a number from 0 to 1024", v)
	}
	return nil
}

func checkLimit(v string) error {
	if n, err := strconv.Atoi(v); err != nil || n < 1 || n > maxHits {
		return fmt.Errorf("%q is not a number from 1 to %d", v, maxHits)
	}
	return nil
}

func checkLevel(v string) error {
	if _, err := level(v); err != nil {
		return fmt.Errorf("%q is not a level: debug, info, warn or error", v)
	}
	return nil
}

// place is what the default places of files depend on.
type place struct {
	goos   string
	getenv func(string) string
}

func thisPlace(getenv func(string) string) place { return place{runtime.GOOS, getenv} }

func (p place) user() string {
	if p.goos == "windows" {
		return p.getenv("USERPROFILE")
	}
	return p.getenv("HOME")
}

// base returns the folder that an absolute environment variable names, else
// the one below the user's.
func (p place) base(env string, below ...string) string {
	if v := p.getenv(env); filepath.IsAbs(v) {
		return v
	}
	return filepath.Join(append([]string{p.user()}, below...)...)
}

func (p place) home() string {
	switch p.goos {
	case "darwin":
		return filepath.Join(p.user(), "Library", "Application Support", "recall")
	case "windows":
		return filepath.Join(p.base("LocalAppData", "AppData", "Local"), "recall")
	}
	return filepath.Join(p.base("XDG_DATA_HOME", ".local", "share"), "recall")
}

func (p place) config() string {
	switch p.goos {
	case "darwin":
		return filepath.Join(p.user(), "Library", "Application Support", "recall", "config.toml")
	case "windows":
		return filepath.Join(p.base("AppData", "AppData", "Roaming"), "recall", "config.toml")
	}
	return filepath.Join(p.base("XDG_CONFIG_HOME", ".config"), "recall", "config.toml")
}

// client is the folder where Claude Code keeps its files; it is absolute.
func (p place) client() string {
	dir := p.getenv("CLAUDE_CONFIG_DIR")
	if dir == "" {
		return filepath.Join(p.user(), ".claude")
	}
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

func (p place) sources() string { return filepath.Join(p.client(), "projects") }

// expand replaces a leading ~ in each element of a list.
func (p place) expand(v string) string {
	list := filepath.SplitList(v)
	for i, s := range list {
		if s == "~" || strings.HasPrefix(s, "~/") {
			list[i] = filepath.Join(p.user(), s[1:])
		}
	}
	return strings.Join(list, string(filepath.ListSeparator))
}
