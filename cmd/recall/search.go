package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recall/index"
	"recall/search"
	"recall/transcript"
)

type searchFlags struct {
	also, kinds, roles      []string
	scope, session, project string
	subagents               string
	dropped, json, noSync   bool
	limit                   int
	minScore                float64
}

var (
	scopes    = []string{"auto", "session", "project", "all"}
	kindNames = []string{"text", "command", "output", "file", "summary"}
	roleNames = []string{"user", "assistant"}
	agentUses = []string{"include", "exclude", "only"}
)

func searchCommand(a *app) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:  "search WORDS…",
		RunE: func(cmd *cobra.Command, args []string) error { return a.search(cmd, f, args) },
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.also, "also", nil, "another wording of the same question, `TEXT`; repeatable")
	fl.StringVar(&f.scope, "scope", "auto", "where to look: auto, session, project or all")
	fl.StringVar(&f.session, "session", "", "look in this session; `ID` or pointer")
	fl.StringVar(&f.project, "project", "", "look in this project; `PATH` or name")
	fl.BoolVar(&f.dropped, "dropped", false, "only messages that some compaction dropped")
	fl.StringSliceVar(&f.kinds, "kind", nil, "only these `KINDS`: text,command,output,file,summary")
	fl.StringSliceVar(&f.roles, "role", nil, "only texts of these `ROLES`: user,assistant")
	fl.StringVar(&f.subagents, "subagents", "include", "`HOW` sub-agents count: include, exclude or only")
	fl.String("since", "", "not older than `TIME`")
	fl.String("until", "", "not newer than `TIME`")
	fl.IntVarP(&f.limit, "limit", "n", 0, "at most `N` hits (default 10)")
	fl.Float64Var(&f.minScore, "min-score", 0, "leave out hits that score below `X`, 0 to 1")
	fl.BoolVar(&f.noSync, "no-sync", false, "do not read new messages first")
	fl.BoolVar(&f.json, "json", false, "print one JSON object")
	fl.SortFlags = false
	for name, values := range map[string][]string{"scope": scopes, "kind": kindNames, "role": roleNames, "subagents": agentUses} {
		cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

func (a *app) search(cmd *cobra.Command, f searchFlags, args []string) error {
	q, err := a.query(cmd, f, args)
	if err != nil {
		return err
	}
	lib, err := a.library()
	if err != nil {
		return err
	}
	bar := a.progress()
	var asked search.Query
	b := before{sync: searchBudget, show: bar.show, prepare: func(ctx context.Context, x *index.Index, q *search.Query) error {
		defer func() { asked = *q }()
		return a.fillQuery(ctx, x, q, f)
	}}
	if f.noSync {
		b.sync = 0
	}
	res, err := lib.search(cmd.Context(), q, b)
	bar.clear()
	if err != nil {
		return err
	}
	namedScope(&res.Scope, asked, f.project)
	if f.json {
		err = a.printJSON(res)
	} else {
		a.printResult(res, retyped(dropFlags(a.args, cmd, filterFlags()...)))
	}
	if err == nil && !res.Found {
		return errNothing
	}
	return err
}

// query turns words and flags into a question.
func (a *app) query(cmd *cobra.Command, f searchFlags, args []string) (search.Query, error) {
	q := search.Query{Text: strings.TrimSpace(strings.Join(args, " ")), Also: f.also, Scope: f.scope, Limit: f.limit, MinScore: f.minScore}
	if q.Text == "" {
		return q, hintf("usage", "recall search 'connection refused' --since 7d", "search for what? Give some words")
	}
	if q.Limit == 0 && !cmd.Flags().Changed("limit") {
		q.Limit = a.conf.num("limit")
	}
	for _, k := range f.kinds {
		q.Filter.Kinds = append(q.Filter.Kinds, transcript.Kind(k))
	}
	q.Filter.Roles, q.Filter.Subagents, q.Filter.Dropped = f.roles, f.subagents, f.dropped
	return q, cmp.Or(a.checkValues(cmd, f), a.checkNumbers(cmd, q), a.times(cmd, &q.Filter))
}

// checkValues looks at the flags that take one of a few words.
func (a *app) checkValues(cmd *cobra.Command, f searchFlags) error {
	for _, c := range []struct {
		flag    string
		values  []string
		allowed []string
	}{{"scope", []string{f.scope}, scopes}, {"kind", f.kinds, kindNames}, {"role", f.roles, roleNames}, {"subagents", []string{f.subagents}, agentUses}} {
		for _, v := range c.values {
			if !slices.Contains(c.allowed, v) {
				return a.badValue(cmd, c.flag, v, c.values, c.allowed)
			}
		}
	}
	return nil
}

func (a *app) checkNumbers(cmd *cobra.Command, q search.Query) error {
	switch {
	case q.Limit < 1 || q.Limit > maxHits:
		return a.wanted(cmd, "limit", fmt.Sprintf("a number from 1 to %d", maxHits), examples["limit"])
	case !(q.MinScore >= 0 && q.MinScore <= 1): // not a number is neither
		return a.wanted(cmd, "min-score", "a number from 0 to 1", examples["min-score"])
	}
	return nil
}

// times reads --since and --until.
func (a *app) times(cmd *cobra.Command, f *index.Filter) (err error) {
	if f.Since, _, err = a.timeFlag(cmd, "since"); err != nil {
		return err
	}
	if _, f.Until, err = a.timeFlag(cmd, "until"); err != nil {
		return err
	}
	if f.Since.IsZero() || f.Until.IsZero() || f.Since.Before(f.Until) {
		return nil
	}
	since, until := cmd.Flags().Lookup("since"), cmd.Flags().Lookup("until")
	swapped := setFlag(setFlag(a.args, since, until.Value.String()), until, since.Value.String())
	return hintf("usage", retyped(swapped), "--since %s is later than --until %s", since.Value, until.Value)
}

// badValue refuses one of a flag's values; the hint has the nearest in its
// place.
func (a *app) badValue(cmd *cobra.Command, flag, value string, values, allowed []string) error {
	right := cmp.Or(nearest(value, allowed), allowed[0])
	var good []string
	for _, v := range values {
		if v == value && value != "" {
			v = right
		}
		if v != "" && !slices.Contains(good, v) {
			good = append(good, v)
		}
	}
	line := a.corrected(cmd, flag, cmp.Or(strings.Join(good, ","), right))
	if value == "" {
		return hintf("usage", line, "--%s %s: one of the values is empty", flag, strings.Join(values, ","))
	}
	return hintf("usage", line, "--%s %s: one of %s is wanted", flag, value, strings.Join(allowed, ", "))
}

// replaced puts right in the place of wrong, also behind a = or a comma.
func replaced(args []string, wrong, right string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		if arg == wrong || strings.HasSuffix(arg, "="+wrong) || strings.Contains(","+arg+",", ","+wrong+",") {
			out[i] = strings.Replace(arg, wrong, right, 1)
		}
	}
	return out
}

// projectFilter narrows q to the projects that --project means. Several share
// a filter over everything: a scope has only one.
func projectFilter(ctx context.Context, x *index.Index, q *search.Query, name string) error {
	meant, err := projectFlag(ctx, x, name)
	if err != nil || len(meant) == 0 {
		return err
	}
	if q.Scope == "auto" {
		q.Scope = "project"
	}
	if q.Project = meant[0]; q.Scope == "project" && len(meant) > 1 {
		q.Scope, q.Filter.Projects = "all", meant
	}
	return nil
}

// namedScope puts the name back that stood for several projects.
func namedScope(s *search.Scope, q search.Query, name string) {
	if len(q.Filter.Projects) > 1 {
		s.Asked, s.Searched, s.Project = "project", "project", name
	}
}

// fillQuery finds the session and project that are asked about or asked from.
func (a *app) fillQuery(ctx context.Context, x *index.Index, q *search.Query, f searchFlags) error {
	if f.session != "" {
		t, err := resolve(ctx, x, f.session)
		if notFound(err) {
			return hintf("unknown_session", "recall sessions", "--session %s: %w", clipWords(f.session, 80), errors.Unwrap(err))
		}
		if err != nil {
			return err
		}
		q.Session, q.Scope = t.Session, "session"
	}
	if err := projectFilter(ctx, x, q, f.project); err != nil {
		return err
	}
	if err := a.asking().fill(ctx, x, q); err != nil {
		return err
	}
	if q.Scope == "session" && q.Session == "" {
		return hintf("usage", "recall sessions", "which session? This is not inside one: name it by --session")
	}
	return nil
}
