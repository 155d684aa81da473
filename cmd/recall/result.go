package main

import (
	"fmt"
	"path"
	"strings"

	"recall/cmd/recall/mcpserver"
	"recall/index"
	"recall/search"
	"recall/transcript"
)

const (
	indent   = "    "
	mostWeak = 3
	nearRoom = 400 // characters of the other half of an exchange
)

// printResult writes the hits to standard output; what was searched, how fresh
// it is and what to do next goes to standard error. unfiltered is the command
// that was typed without its filters.
func (a *app) printResult(res *search.Result, unfiltered string) {
	hits, weak := res.Hits, false
	if !res.Found {
		hits, weak = res.Weak[:min(len(res.Weak), mostWeak)], true
	}
	match := matcher(append([]string{res.Query}, res.Also...))
	for i, h := range hits {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		a.printHit(h, weak, match)
	}
	if len(hits) > 0 && a.tty.is {
		fmt.Fprintln(a.out)
	}
	a.tell("%s", a.summary(res, len(hits)))
	for _, n := range res.Fresh.Notes {
		if !strings.HasPrefix(n, nothingIndexed) { // that is the summary
			a.tell("note: %s", clipWords(n, 300))
		}
	}
	a.hintAfter(res, hits, unfiltered)
}

func (a *app) printHit(h search.Hit, weak bool, match func(string) bool) {
	score := fmt.Sprintf("%.2f", h.Score)
	if weak {
		score = "weak " + score
	}
	fields := []string{fmt.Sprintf("%2d  %s", h.Rank, score), minute(h.Time, a.now()), projectName(h.Project), speaker(h.Role, transcript.Kind(h.Kind), h.Tool)}
	if h.Subagent != "" {
		fields = append(fields, "sub-agent "+clipWords(h.Subagent, 20))
	}
	if h.Dropped != nil {
		fields = append(fields, a.tty.style("33", fmt.Sprintf("dropped at compaction %d", h.Dropped.Nth)))
	}
	if h.SourceDeleted {
		fields = append(fields, "transcript deleted")
	}
	fmt.Fprintln(a.out, a.tty.fields(indent, append(fields, a.tty.style("36", h.Pointer))))
	for _, n := range h.Before {
		a.printHalf(n.Role, n.Kind, "", clipText(n.Excerpt, nearRoom), match)
	}
	a.printHalf(h.Role, h.Kind, h.Tool, h.Excerpt, match)
	for _, n := range h.After {
		a.printHalf(n.Role, n.Kind, "", clipText(n.Excerpt, nearRoom), match)
	}
}

func (a *app) printHalf(role, kind, tool, text string, match func(string) bool) {
	text = speaker(role, transcript.Kind(kind), tool) + ": " + strings.TrimSpace(search.Clean(text))
	for line := range strings.Lines(a.tty.block(indent, text)) {
		fmt.Fprint(a.out, a.tty.emphasise(line, match))
	}
}

// clipText cuts at n characters.
func clipText(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func projectName(folder string) string { return clipWords(mcpserver.ProjectName(folder), 30) }

// baseOf is the last element of a folder, of either platform.
func baseOf(folder string) string { return path.Base(strings.ReplaceAll(folder, `\`, "/")) }

// matcher tells which words of a text were asked for, in any of their forms.
func matcher(asked []string) func(string) bool {
	terms := map[string]bool{}
	for _, text := range asked {
		for _, w := range index.QueryWords(text) {
			terms[w.Term] = true
		}
	}
	known := map[string]bool{}
	return func(word string) bool {
		m, ok := known[word]
		if !ok {
			for _, t := range index.Terms(word) {
				m = m || terms[t]
			}
			known[word] = m
		}
		return m
	}
}

// summary says what was found where and how fresh the index is.
func (a *app) summary(res *search.Result, shown int) string {
	if note, ok := noted(res, nothingIndexed); ok {
		return note
	}
	var what string
	switch where := searchedIn(res.Scope); {
	case res.Found:
		what = counted(shown, "hit") + " in " + where
	case shown > 0:
		what = "nothing certain in " + where + ", only weak hits"
	default:
		what = "nothing found in " + where
	}
	f := res.Fresh
	switch {
	case f.AsOf.IsZero() && f.FilesBehind == 0:
		what += "; nothing is indexed yet"
	case f.FilesBehind > 0:
		what += "; " + counted(f.FilesBehind, "file") + " not yet indexed"
	}
	if f.Unembedded > 0 {
		what += "; " + counted(f.Unembedded, "message") + " found by keyword only until embedded"
	}
	return what
}

func searchedIn(s search.Scope) string {
	switch s.Searched {
	case "dropped":
		return "what this session's compactions dropped"
	case "session":
		return "one session"
	case "project":
		return fmt.Sprintf("project %s (%s)", projectName(s.Project), counted(s.Sessions, "session"))
	}
	return fmt.Sprintf("all projects (%s)", counted(s.Sessions, "session"))
}

// hintAfter tells the command that goes on from a result.
func (a *app) hintAfter(res *search.Result, hits []search.Hit, unfiltered string) {
	if _, ok := noted(res, foundWithout); ok {
		a.tell("hint: %s", unfiltered)
		return
	}
	if res.Found {
		a.hint("recall", "show", hits[0].Pointer, "-C", "2")
		if res.Fresh.FilesBehind > 0 {
			a.hint("recall", "sync")
		}
		return
	}
	a.tell("hint: %s", elsewhere(res))
}

// elsewhere is the command to try when nothing was found.
func elsewhere(res *search.Result) string {
	is := func(note string) bool { _, ok := noted(res, note); return ok }
	switch {
	case is(nothingIndexed):
		return "recall doctor"
	case res.Fresh.FilesBehind > 0 || res.Fresh.AsOf.IsZero():
		return "recall sync"
	case is(noWord):
		return "recall help search"
	case is(onlyInSummaries):
		return searchLine(res.Query, "--kind", "summary")
	case res.Scope.Searched != "all":
		return searchLine(res.Query, "--scope", "all")
	}
	return searchLine(res.Query, "--also", "the same in other words")
}
