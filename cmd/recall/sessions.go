package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"recall/anchors"
	"recall/index"
)

type sessionsFlags struct {
	project string
	limit   int
	json    bool
}

func sessionsCommand(a *app) *cobra.Command {
	var f sessionsFlags
	cmd := &cobra.Command{
		Use:  "sessions",
		Args: noArguments("recall sessions"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.sessions(cmd, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.project, "project", "", "only of this project; `PATH` or name")
	fl.String("since", "", "not older than `TIME`")
	fl.IntVarP(&f.limit, "limit", "n", 20, "at most `N` sessions, 0 for all")
	fl.BoolVar(&f.json, "json", false, "print one JSON object")
	return cmd
}

type sessionJSON struct {
	ID            string     `json:"id"`
	Pointer       string     `json:"pointer"`
	Project       string     `json:"project"`
	Title         string     `json:"title"`
	Branch        string     `json:"branch"`
	Version       string     `json:"version"`
	Path          string     `json:"path"`
	First         *time.Time `json:"first"`
	Last          *time.Time `json:"last"`
	Messages      int        `json:"messages"`
	Prompts       int        `json:"prompts"`
	Compactions   int        `json:"compactions"`
	Bytes         int64      `json:"bytes"`
	SourceDeleted bool       `json:"source_deleted"`
}

func (a *app) sessions(cmd *cobra.Command, f sessionsFlags) error {
	if err := a.atLeast0(cmd, "limit"); err != nil {
		return err
	}
	since, _, err := a.timeFlag(cmd, "since")
	if err != nil {
		return err
	}
	lib, err := a.library()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	out, total, nothing := []sessionJSON{}, 0, false
	err = lib.fresh(ctx, func(x *index.Index) error {
		all, err := sessionsOf(ctx, x, f.project, since)
		if total = len(all); f.limit > 0 {
			all = all[:min(len(all), f.limit)]
		}
		for _, s := range all {
			out = append(out, sessionOf(ctx, x, s))
		}
		if err == nil && total == 0 {
			nothing, err = isEmpty(ctx, x)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case f.json:
		err = a.printJSON(struct {
			V        int           `json:"v"`
			Total    int           `json:"total"`
			Sessions []sessionJSON `json:"sessions"`
		}{1, total, out})
	default:
		a.printSessions(out, total, nothing)
	}
	if err == nil && total == 0 {
		return errNothing
	}
	return err
}

// isEmpty: nothing is indexed at all.
func isEmpty(ctx context.Context, x *index.Index) (bool, error) {
	all, err := x.Sessions(ctx, index.SessionFilter{})
	return len(all) == 0, err
}

// sessionsOf lists the sessions of the projects that --project means, newest
// first.
func sessionsOf(ctx context.Context, x *index.Index, project string, since time.Time) ([]index.Session, error) {
	meant, err := projectFlag(ctx, x, project)
	if err != nil {
		return nil, err
	}
	all, err := x.Sessions(ctx, index.SessionFilter{Since: since})
	return slices.DeleteFunc(all, func(s index.Session) bool {
		return len(meant) > 0 && !slices.Contains(meant, s.Project)
	}), err
}

// projectFlag returns the known projects that --project means, none without it.
func projectFlag(ctx context.Context, x *index.Index, name string) ([]string, error) {
	if name == "" {
		return nil, nil
	}
	all, err := x.Sessions(ctx, index.SessionFilter{})
	if err != nil || len(all) == 0 { // that nothing is indexed is told as such
		return nil, err
	}
	return projectsMeant(name, projects(all))
}

func sessionOf(ctx context.Context, x *index.Index, s index.Session) sessionJSON {
	return sessionJSON{s.ID, shorten(ctx, x, anchors.Pointer{Session: s.ID}), s.Project, s.Title, s.Branch, s.Version, s.Path,
		timeOrNull(s.First), timeOrNull(s.Last), s.Messages, s.Prompts, s.Compactions, s.Bytes, s.Deleted}
}

func (a *app) printSessions(list []sessionJSON, total int, nothing bool) {
	for _, s := range list {
		var last time.Time
		if s.Last != nil {
			last = *s.Last
		}
		fields := []string{minute(last, a.now()), projectName(s.Project), counted(s.Messages, "message")}
		if s.Compactions > 0 {
			fields = append(fields, counted(s.Compactions, "compaction"))
		}
		if s.SourceDeleted {
			fields = append(fields, "transcript deleted")
		}
		fields = append(fields, a.tty.style("36", s.Pointer))
		if s.Title != "" {
			fields = append(fields, a.tty.bold(clipWords(s.Title, 70)))
		}
		fmt.Fprintln(a.out, a.tty.fields(indent, fields))
	}
	switch {
	case nothing:
		a.tell("%s", a.nothingIndexed())
		a.hint("recall", "doctor")
	case total == 0:
		a.tell("no such sessions")
		a.hint("recall", "sessions")
	case total > len(list):
		a.tell("%s of %s", count(len(list)), counted(total, "session"))
		a.hint("recall", "sessions", "-n", "0")
	}
}
