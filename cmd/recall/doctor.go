package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recall/index"
	"recall/search"
)

func doctorCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:  "doctor",
		Args: noArguments("recall doctor"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// finding is what a check came to.
type finding struct {
	Level   string `json:"level"` // "ok", "warn" or "error"
	Check   string `json:"check"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// examination collects findings.
type examination struct {
	*app
	lib      *library
	Findings []finding
	Records  account
}

func (e *examination) add(level, check, hint, format string, v ...any) {
	e.Findings = append(e.Findings, finding{level, check, fmt.Sprintf(format, v...), hint})
}

func (a *app) doctor(ctx context.Context, asJSON bool) error {
	lib, err := a.library()
	if err != nil {
		return err
	}
	e := &examination{app: a, lib: lib, Records: account{Kinds: map[string]int{}, Files: []fileJSON{}}}
	e.folders()
	e.index(ctx)
	e.surroundings()
	if asJSON {
		err = a.printJSON(struct {
			V        int       `json:"v"`
			Healthy  bool      `json:"healthy"`
			Findings []finding `json:"findings"`
			Records  account   `json:"records"`
		}{1, !e.failed(), e.Findings, e.Records})
	} else {
		e.print()
	}
	if err == nil && e.failed() {
		return errFinding
	}
	return err
}

func (e *examination) failed() bool {
	for _, f := range e.Findings {
		if f.Level == "error" {
			return true
		}
	}
	return false
}

func (e *examination) print() {
	for _, f := range e.Findings {
		style := map[string]string{"ok": "32", "warn": "33", "error": "31;1"}[f.Level]
		label := fmt.Sprintf("%-5s  %-9s ", f.Level, f.Check)
		text := e.tty.block(strings.Repeat(" ", len(label)), clipWords(f.Message, 1000))
		fmt.Fprint(e.out, e.tty.style(style, label[:5])+label[5:]+text[len(label):])
		if f.Hint != "" {
			fmt.Fprintf(e.out, "%*shint: %s\n", len(label), "", search.Clean(f.Hint)) // whole, to be pasted
		}
	}
	e.Records.print(e.app)
}

// index checks what only an open index can tell.
func (e *examination) index(ctx context.Context) {
	var st index.Status
	var files []index.FileAccount
	var sessions []index.Session
	var damage []string
	err := e.lib.use(ctx, func(x *index.Index) (err error) {
		if st, err = x.Status(ctx); err != nil {
			return err
		}
		if files, err = x.Account(ctx); err != nil {
			return err
		}
		if sessions, err = x.Sessions(ctx, index.SessionFilter{}); err != nil {
			return err
		}
		damage, err = x.Verify(ctx)
		return err
	})
	if err != nil {
		e.unopened(err)
		return
	}
	e.add("ok", "index", "", "%s opens; %s in %s", st.Dir, counted(st.Messages, "message"), counted(st.Sessions, "session"))
	for _, d := range damage {
		e.add("error", "index", "recall sync", "%s", d)
	}
	for _, n := range st.Fresh.Notes {
		e.add("warn", "index", "recall sync", "%s", n)
	}
	e.freshness(st)
	e.vectors(st)
	e.Records.fill(files)
	e.records()
	e.client(sessions)
}

func (e *examination) freshness(st index.Status) {
	gone := 0
	for _, s := range st.Sources {
		gone += s.Gone
	}
	switch n := behind(st); {
	case len(unreadable(st)) > 0:
		e.add("warn", "fresh", "recall status", "not known: cannot read %s", strings.Join(unreadable(st), ", "))
	case st.Fresh.AsOf.IsZero():
		e.add("warn", "fresh", "recall sync", "never synced to the end; %s to read", counted(n, "file"))
	case n > 0:
		e.add("warn", "fresh", "recall sync", "%s changed since %s", counted(n, "file"), local(st.Fresh.AsOf, e.now()))
	default:
		e.add("ok", "fresh", "", "in step with all files; last read %s", local(st.Fresh.AsOf, e.now()))
	}
	if gone > 0 {
		e.add("ok", "fresh", "", "%s deleted after they were read; their text is kept here", counted(gone, "transcript"))
	}
}

func (e *examination) vectors(st index.Status) {
	switch {
	case e.lib.embedErr != nil:
		e.add("error", "vectors", "recall help config", "searching by keyword only: %v", e.lib.embedErr)
	case st.Model == "":
		e.add("warn", "vectors", "recall sync --embedder e5", "switched off: searching by keyword only")
	case st.Pending > 0:
		e.add("warn", "vectors", "recall sync", "%s wait for a vector and are found by keyword only", counted(st.Pending, "passage"))
	default:
		e.add("ok", "vectors", "", "%s by %s", counted(st.Vectors, "vector"), st.Model)
	}
}
