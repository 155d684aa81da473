package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/index"
)

func statusCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:  "status",
		Args: noArguments("recall status"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.status(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// statusJSON is what status --json prints.
type statusJSON struct {
	V        int                  `json:"v"`
	Dir      string               `json:"dir"`
	Model    string               `json:"model"`
	Sources  []index.SourceStatus `json:"sources"`
	Sessions int                  `json:"sessions"`
	Agents   int                  `json:"subagents"`
	Messages int                  `json:"messages"`
	Passages int                  `json:"passages"`
	Vectors  int                  `json:"vectors"`
	Pending  int                  `json:"pending"`
	Bytes    map[string]int64     `json:"bytes"`
	Oldest   *time.Time           `json:"oldest"`
	Newest   *time.Time           `json:"newest"`
	Fresh    freshJSON            `json:"fresh"`
	Settings []settingJSON        `json:"settings,omitempty"` // with -v
}

type freshJSON struct {
	AsOf        *time.Time `json:"as_of"`
	FilesBehind int        `json:"files_behind"`
	Unembedded  int        `json:"unembedded"`
	Notes       []string   `json:"notes"`
}

type settingJSON struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func (a *app) status(ctx context.Context, asJSON bool) error {
	lib, err := a.library()
	if err != nil {
		return err
	}
	if !asJSON && a.verbose {
		a.printSettings()
	}
	var st index.Status
	err = lib.use(ctx, func(x *index.Index) (err error) {
		st, err = x.Status(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if asJSON {
		err = a.printJSON(a.statusJSON(st))
	} else {
		a.printStatus(st, lib.embedErr)
	}
	if err == nil && len(unreadable(st)) > 0 {
		return errPartly
	}
	return err
}

func (a *app) statusJSON(st index.Status) statusJSON {
	out := statusJSON{1, st.Dir, st.Model, list(st.Sources), st.Sessions, st.Agents, st.Messages, st.Passages, st.Vectors, st.Pending, st.Bytes,
		timeOrNull(st.Oldest), timeOrNull(st.Newest),
		freshJSON{timeOrNull(st.Fresh.AsOf.Truncate(time.Second)), behind(st), st.Fresh.Unembedded, list(st.Fresh.Notes)}, nil}
	if a.verbose {
		for _, s := range a.conf.settings {
			out.Settings = append(out.Settings, settingJSON{s.key, s.value, s.from})
		}
	}
	return out
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// behind counts the files that differ from what was read, as they are now.
func behind(st index.Status) (n int) {
	for _, s := range st.Sources {
		n += s.Behind
	}
	return n
}

func (a *app) printStatus(st index.Status, embedErr error) {
	row := func(name, format string, v ...any) {
		fmt.Fprintf(a.out, "%-9s %s\n", name, fmt.Sprintf(format, v...))
	}
	for _, s := range st.Sources {
		row("source", "%s: %s", s.Path, sourceLine(s))
	}
	var total int64
	var parts []string
	for _, name := range slices.SortedFunc(maps.Keys(st.Bytes), func(x, y string) int {
		return cmp.Or(cmp.Compare(st.Bytes[y], st.Bytes[x]), strings.Compare(x, y))
	}) {
		total += st.Bytes[name]
		parts = append(parts, name+" "+bytesize(st.Bytes[name]))
	}
	row("data", "%s: %s (%s)", st.Dir, bytesize(total), strings.Join(parts, ", "))
	row("sessions", "%s and %s%s", counted(st.Sessions, "session"), counted(st.Agents, "sub-agent"), stretch(st.Oldest, st.Newest, a.now()))
	row("messages", "%s in %s", count(st.Messages), counted(st.Passages, "passage"))
	switch {
	case embedErr != nil:
		row("vectors", "not now: %v", embedErr)
	case st.Model == "":
		row("vectors", "none: keyword search only")
	default:
		row("vectors", "%s, %s to go (%s)", count(st.Vectors), count(st.Pending), st.Model)
	}
	row("fresh", "%s", a.freshLine(st))
	for _, n := range st.Fresh.Notes {
		a.tell("note: %s", clipWords(n, 300))
	}
	switch {
	case len(unreadable(st)) > 0, st.Sessions == 0 && behind(st) == 0:
		a.hint("recall", "doctor")
	case behind(st) > 0 || st.Pending > 0:
		a.hint("recall", "sync")
	}
}

func sourceLine(s index.SourceStatus) string {
	line := fmt.Sprintf("%s of %s indexed, %s", count(s.Indexed), counted(s.Files, "file"), bytesize(s.Bytes))
	if s.Gone > 0 {
		line += fmt.Sprintf("; %s more deleted since, kept here", count(s.Gone))
	}
	if s.Err != "" {
		line += "; " + s.Err
	}
	return line
}

func stretch(from, to, now time.Time) string {
	if from.IsZero() {
		return ""
	}
	return fmt.Sprintf(", %s to %s", from.In(now.Location()).Format(time.DateOnly), to.In(now.Location()).Format(time.DateOnly))
}

func (a *app) freshLine(st index.Status) string {
	if bad := unreadable(st); len(bad) > 0 {
		return "not known: cannot read " + strings.Join(bad, ", ")
	}
	if st.Sessions == 0 && behind(st) == 0 {
		return a.nothingIndexed()
	}
	if st.Fresh.AsOf.IsZero() {
		return "never synced to the end; " + counted(behind(st), "file") + " to read"
	}
	if n := behind(st); n > 0 {
		return counted(n, "file") + " changed since " + local(st.Fresh.AsOf, a.now())
	}
	return "in step with all files; last read " + local(st.Fresh.AsOf, a.now())
}

// unreadable lists the sources that are missing or cannot be read whole.
func unreadable(st index.Status) (paths []string) {
	for _, s := range st.Sources {
		if s.Err != "" {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

// printSettings shows each effective setting and where it came from.
func (a *app) printSettings() {
	fmt.Fprintf(a.out, "config    %s\n", a.conf.file)
	for _, s := range a.conf.settings {
		value := s.value
		if value == "" {
			value = `""`
		}
		fmt.Fprintf(a.out, "  %-18s %s  (%s)\n", s.key, value, s.from)
	}
}
