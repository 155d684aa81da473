package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recall/index"
	"recall/search"
	"recall/transcript"
)

// Notes of an answer that have a hint of their own.
const (
	nothingIndexed  = "nothing is indexed: no transcripts in "
	noWord          = "the question has no word that can be searched for"
	onlyInSummaries = "only summaries of compactions hold it"
	foundWithout    = "there are hits without the filter "
)

// noTranscripts says that there is nothing at all.
func noTranscripts(sources []string) string { return nothingIndexed + strings.Join(sources, ", ") }

func (a *app) nothingIndexed() string { return noTranscripts(a.conf.list("sources")) }

// noted finds the note that begins so.
func noted(res *search.Result, begin string) (note string, ok bool) {
	i := slices.IndexFunc(res.Fresh.Notes, func(n string) bool { return strings.HasPrefix(n, begin) })
	if i < 0 {
		return "", false
	}
	return res.Fresh.Notes[i], true
}

// whyNothing says why nothing was found, "" where that is not known. synced: new
// files were looked for.
func (l *library) whyNothing(ctx context.Context, x *index.Index, q search.Query, res *search.Result, synced bool) (string, error) {
	sessions, err := x.Sessions(ctx, index.SessionFilter{})
	switch {
	case err != nil || res.Found:
		return "", err
	case len(sessions) == 0:
		if !synced || res.Fresh.FilesBehind > 0 {
			return "", nil
		}
		return noTranscripts(l.opts.Sources), nil
	case !searchable(q):
		return noWord, nil
	}
	if names := narrowedBy(q); len(names) > 0 {
		found, err := foundByWords(ctx, x, unnarrowed(q))
		if err != nil {
			return "", err
		}
		if found {
			return foundWithout + strings.Join(names, ", "), nil
		}
	}
	q = unnarrowed(q)
	q.Filter.Kinds = []transcript.Kind{transcript.Summary}
	if found, err := foundByWords(ctx, x, q); err != nil || !found {
		return "", err
	}
	return onlyInSummaries, nil
}

// foundByWords asks again without vectors: a second question must cost little.
func foundByWords(ctx context.Context, x *index.Index, q search.Query) (bool, error) {
	q.Limit = 1
	res, err := search.New(x, nil).Search(ctx, q)
	return err == nil && res.Found, err
}

// filters are the flags that leave hits out of the scope, and whether they do.
var filters = []struct {
	flag    string
	narrows func(search.Query) bool
}{
	{"kind", func(q search.Query) bool { return len(q.Filter.Kinds) > 0 }},
	{"role", func(q search.Query) bool { return len(q.Filter.Roles) > 0 }},
	{"subagents", func(q search.Query) bool { return q.Filter.Subagents != "" && q.Filter.Subagents != "include" }},
	{"since", func(q search.Query) bool { return !q.Filter.Since.IsZero() }},
	{"until", func(q search.Query) bool { return !q.Filter.Until.IsZero() }},
	{"dropped", func(q search.Query) bool { return q.Filter.Dropped }},
	{"min-score", func(q search.Query) bool { return q.MinScore > 0 }},
}

func filterFlags() []string {
	var names []string
	for _, f := range filters {
		names = append(names, f.flag)
	}
	return names
}

// narrowedBy names the filters of q.
func narrowedBy(q search.Query) []string {
	var names []string
	for _, f := range filters {
		if f.narrows(q) {
			names = append(names, f.flag)
		}
	}
	return names
}

// unnarrowed is q with all of its scope.
func unnarrowed(q search.Query) search.Query {
	q.Filter, q.MinScore = index.Filter{Sessions: q.Filter.Sessions, Projects: q.Filter.Projects}, 0
	return q
}

// searchable: some wording has more than stop words and signs.
func searchable(q search.Query) bool {
	return slices.ContainsFunc(append([]string{q.Text}, q.Also...), func(s string) bool { return len(index.Terms(s)) > 0 })
}

// withoutVectors tells of passages in scope that still wait for their vector,
// when they are more than one in twenty.
func withoutVectors(ctx context.Context, x *index.Index, q search.Query, s search.Scope) (string, error) {
	f := q.Filter
	switch s.Searched {
	case "dropped":
		f.Sessions, f.Dropped = []string{s.Session}, true
	case "session":
		f.Sessions = []string{s.Session}
	case "project":
		f.Projects = []string{s.Project}
	}
	st, err := x.Stats(ctx, nil, f)
	if err != nil || st.Pending*20 <= st.Wanted {
		return "", err
	}
	return fmt.Sprintf("meaning search covers %d %% of this so far; the rest follows in the background, or at once by 'recall sync'", 100*(st.Wanted-st.Pending)/st.Wanted), nil
}

// searchLine is a search that can be pasted.
func searchLine(words string, flags ...string) string {
	words = hintWords(words)
	if strings.HasPrefix(words, "-") {
		return commandLine(slices.Concat([]string{"recall", "search"}, flags, []string{"--", words})...)
	}
	return commandLine(append([]string{"recall", "search", words}, flags...)...)
}

// hintRoom bounds each word of a hint.
const hintRoom = 100

// hintWords shortens a question to what a hint has room for, at a blank.
func hintWords(s string) string {
	s = strings.Join(strings.Fields(search.Clean(s)), " ")
	r := []rune(s)
	if len(r) <= hintRoom {
		return s
	}
	s = string(r[:hintRoom])
	if i := strings.LastIndexByte(s, ' '); i > 0 {
		s = s[:i]
	}
	return s
}
