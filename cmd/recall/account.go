package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recall/index"
)

// account says what became of every record of every file.
type account struct {
	Lines int            `json:"lines"`
	Total int            `json:"records"`
	Kinds map[string]int `json:"kinds"` // as in index.FileAccount
	Files []fileJSON     `json:"files"`
}

type fileJSON struct {
	Path   string         `json:"path"`
	Lines  int            `json:"lines"`
	Kinds  map[string]int `json:"kinds"`
	Gone   bool           `json:"gone"`
	Behind bool           `json:"behind"`
}

func (c *account) fill(files []index.FileAccount) {
	for _, f := range files {
		c.Files = append(c.Files, fileJSON{f.Path, f.Lines, f.Records, f.Gone, f.Behind})
		c.Lines += f.Lines
		for kind, n := range f.Records {
			c.Kinds[kind] += n
			c.Total += n
		}
	}
}

// group sums the kinds "group" and "group:…".
func (c *account) group(group string) (n int) {
	for kind, k := range c.Kinds {
		if g, _, _ := strings.Cut(kind, ":"); g == group {
			n += k
		}
	}
	return n
}

// members lists the kinds of a group, most frequent first.
func (c *account) members(group string) string {
	var names []string
	for kind := range c.Kinds {
		if g, why, ok := strings.Cut(kind, ":"); ok && g == group {
			names = append(names, why)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.Kinds[group+":"+b], c.Kinds[group+":"+a]), strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s", cmp.Or(clipWords(name, 40), "(none)"), count(c.Kinds[group+":"+name]))
	}
	return strings.Join(names, ", ")
}

// records turns the account into findings.
func (e *examination) records() {
	c := &e.Records
	for _, f := range c.Files {
		sum := 0
		for _, n := range f.Kinds {
			sum += n
		}
		// A line can hold two records, when two processes wrote at once.
		if sum < f.Lines {
			e.add("error", "records", "recall sync", "%s: %s, but only %s accounted for", f.Path, counted(f.Lines, "line"), counted(sum, "record"))
		}
	}
	if n := c.group("unknown"); n > 0 {
		e.add("warn", "records", "recall doctor --json", "%s of types that this version does not know: %s", counted(n, "record"), c.members("unknown"))
	}
	if n := c.group("broken"); n > 0 {
		e.add("warn", "records", "recall doctor --json", "%s skipped as damaged: %s", counted(n, "record"), c.members("broken"))
	}
}

var groups = []struct{ name, means string }{
	{"indexed", "messages, found by search"},
	{"structure", "compaction boundaries"},
	{"metadata", "titles and other facts"},
	{"noise", "known, of no use to a reader"},
	{"duplicate", "copies of a message"},
	{"unknown", "of types not known"},
	{"broken", "not readable"},
}

func (c *account) print(a *app) {
	if c.Total == 0 {
		return
	}
	fmt.Fprintf(a.out, "\n%s on %s of %s:\n", counted(c.Total, "record"), counted(c.Lines, "line"), counted(len(c.Files), "file"))
	for _, g := range groups {
		if n := c.group(g.name); n > 0 {
			fmt.Fprintf(a.out, "  %9s  %-9s  %s\n", count(n), g.name, g.means)
		}
		if list := c.members(g.name); list != "" && (a.verbose || g.name != "noise") {
			fmt.Fprint(a.out, a.tty.block(strings.Repeat(" ", 24), list))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(c.Kinds)) {
		g, _, _ := strings.Cut(kind, ":")
		if !slices.ContainsFunc(groups, func(k struct{ name, means string }) bool { return k.name == g }) {
			fmt.Fprintf(a.out, "  %9s  %s\n", count(c.Kinds[kind]), kind)
		}
	}
}
