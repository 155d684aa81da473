package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/mcpserver"
	"recall/index"
	"recall/search"
	"recall/transcript"
)

type showFlags struct {
	before, after, around int
	json, raw             bool
}

func showCommand(a *app) *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use: "show POINTER",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.atLeast0(cmd, "before", "after", "context"); err != nil {
				return err
			}
			return a.show(cmd.Context(), f, args)
		},
	}
	fl := cmd.Flags()
	fl.IntVarP(&f.before, "before", "B", 0, "show `N` messages before it too")
	fl.IntVarP(&f.after, "after", "A", 0, "show `N` messages after it too")
	fl.IntVarP(&f.around, "context", "C", 0, "show `N` messages before and after it too")
	fl.BoolVar(&f.raw, "raw", false, "print the text alone, with invisible characters left in")
	fl.BoolVar(&f.json, "json", false, "print one JSON object")
	return cmd
}

func (a *app) show(ctx context.Context, f showFlags, args []string) error {
	if len(args) == 0 {
		return hintf("usage", "recall search 'what you remember of it'", "show what? Give a pointer, as search prints it")
	}
	lib, err := a.library()
	if err != nil {
		return err
	}
	pointer, err := onePointer("show", args)
	if err != nil {
		return err
	}
	r := mcpserver.Range{Pointer: pointer, Before: max(f.before, f.around), After: max(f.after, f.around)}
	var messages []shownMessage
	reading, err := lib.read(ctx, r, func(m mcpserver.Message) bool {
		switch {
		case f.json:
			messages = append(messages, shownOf(m))
		case f.raw:
			a.showRaw(m)
		default:
			a.showMessage(m)
		}
		return ctx.Err() == nil
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case f.json:
		return a.printJSON(shown{1, reading.Pointer, reading.Session, reading.Agent, reading.Project, reading.Title, messages, list(reading.Notes)})
	}
	for _, n := range reading.Notes {
		a.tell("note: %s", n)
	}
	return nil
}

// showMessage prints a heading and the text as it was.
func (a *app) showMessage(m mcpserver.Message) {
	fields := []string{a.tty.bold(speaker(m.Role, m.Kind, firstTool(m.Message))), a.tty.dim(minute(m.Time, a.now()))}
	if m.Agent != "" {
		fields = append(fields, "sub-agent "+clipWords(m.Agent, 40))
	}
	if m.Dropped != nil {
		fields = append(fields, fmt.Sprintf("dropped at compaction %d", m.Dropped.Nth))
	}
	if m.Context {
		fields = append(fields, a.tty.dim("context"))
	}
	fmt.Fprintf(a.out, "--- %s\n", strings.Join(append(fields, m.Pointer), "  "))
	for i, p := range m.Parts {
		if i > 0 && p.Kind != transcript.Text {
			fmt.Fprintf(a.out, "[%s]\n", speaker(m.Role, p.Kind, p.Tool))
		}
		fmt.Fprintln(a.out, strings.TrimRight(search.Clean(p.Text), "\n"))
	}
	fmt.Fprintln(a.out)
}

func (a *app) showRaw(m mcpserver.Message) {
	text := textOf(m.Message)
	if a.tty.is {
		text = search.Clean(text) // it may hold commands to the terminal
	}
	io.WriteString(a.out, text)
	if !strings.HasSuffix(text, "\n") {
		io.WriteString(a.out, "\n")
	}
}

func firstTool(m index.Message) string {
	if len(m.Parts) == 0 {
		return ""
	}
	return m.Parts[0].Tool
}

// speaker says who spoke; where nobody did, what it is.
func speaker(role string, kind transcript.Kind, tool string) string {
	switch {
	case kind == transcript.Text || kind == "":
		return clipWords(role, 20)
	case tool != "":
		return string(kind) + " of " + clipWords(tool, 40)
	}
	return string(kind)
}

// shown is what show --json prints.
type shown struct {
	V        int            `json:"v"`
	Pointer  string         `json:"pointer"`
	Session  string         `json:"session"`
	Agent    string         `json:"subagent"`
	Project  string         `json:"project"`
	Title    string         `json:"title"`
	Messages []shownMessage `json:"messages"`
	Notes    []string       `json:"notes"`
}

type shownMessage struct {
	Pointer       string        `json:"pointer"`
	UUID          string        `json:"uuid"`
	Role          string        `json:"role"`
	Kind          string        `json:"kind"`
	Time          time.Time     `json:"time"`
	Subagent      string        `json:"subagent"`
	Context       bool          `json:"context"` // only near what the pointer names
	Live          bool          `json:"live"`    // still in the model's context, or in its branch
	Dropped       *shownDropped `json:"dropped"`
	Path          string        `json:"path"`
	Line          int           `json:"line"`
	SourceDeleted bool          `json:"source_deleted"`
	Parts         []shownPart   `json:"parts"`
}

type shownDropped struct {
	Boundary string    `json:"boundary"`
	Time     time.Time `json:"time"`
	Trigger  string    `json:"trigger"`
	Nth      int       `json:"nth"`
}

type shownPart struct {
	Kind   string `json:"kind"`
	Tool   string `json:"tool,omitempty"`
	ToolID string `json:"tool_id,omitempty"`
	Error  bool   `json:"error,omitempty"`
	Text   string `json:"text"`
}

func shownOf(m mcpserver.Message) shownMessage {
	s := shownMessage{
		Pointer: m.Pointer, UUID: m.UUID, Role: m.Role, Kind: string(m.Kind), Time: m.Time.UTC(), Subagent: m.Agent,
		Context: m.Context, Live: m.Live, Path: m.Path, Line: m.Line, SourceDeleted: m.Deleted, Parts: []shownPart{},
	}
	if d := m.Dropped; d != nil {
		s.Dropped = &shownDropped{d.Boundary, d.Time.UTC(), d.Trigger, d.Nth}
	}
	for _, p := range m.Parts {
		s.Parts = append(s.Parts, shownPart{string(p.Kind), p.Tool, p.ToolID, p.Error, p.Text})
	}
	return s
}

// list is never nil, so that JSON has [] where there is nothing.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
