package search

import (
	"errors"
	"fmt"
	"slices"

	"recall/index"
	"recall/transcript"
)

// ErrScope is wrapped by the error for a scope that is unknown, or that needs a
// session or a project where none is given.
var ErrScope = errors.New("no such scope")

// spoken are the kinds that are searched when none are asked for: a summary is
// nobody's words, and its facts stand in the messages it summarises.
var spoken = []transcript.Kind{transcript.Text, transcript.Command, transcript.Output, transcript.FileRef}

// scope is one place to look for an answer.
type scope struct {
	name   string // as in Scope.Searched
	filter index.Filter
	from   string // the session that asks, "" when that is not known
	asking string // the same, when its messages are treated apart
	home   string // the project that comes first, likewise
}

// ownDropped is the filter for what the asking session's compactions dropped.
func (sc scope) ownDropped() index.Filter {
	f := sc.filter
	f.Sessions, f.Projects, f.Dropped = []string{sc.asking}, nil, true
	return f
}

// scopes lists where to look, one after the other until something good is found.
func scopes(q Query) ([]scope, error) {
	f := q.Filter
	if len(f.Kinds) == 0 {
		f.Kinds = slices.Clone(spoken)
	}
	all := scope{name: "all", filter: f, from: q.Session}
	switch q.Scope {
	case "all":
		return []scope{all}, nil
	case "session":
		if q.Session == "" {
			return nil, fmt.Errorf("scope session without a session: %w", ErrScope)
		}
		f.Sessions = []string{q.Session}
		return []scope{{name: "session", filter: f}}, nil
	case "project":
		if q.Project == "" {
			return nil, fmt.Errorf("scope project without a project: %w", ErrScope)
		}
		f.Projects = []string{q.Project}
		return []scope{{name: "project", filter: f}}, nil
	case "", "auto":
		return autoScopes(q, all), nil
	}
	return nil, fmt.Errorf("scope %q: %w", q.Scope, ErrScope)
}

// autoScopes looks first at what was dropped from the asking session and at its
// project, then everywhere.
func autoScopes(q Query, all scope) []scope {
	all.asking = q.Session
	near := all
	all.home = q.Project
	switch {
	case q.Project != "":
		near.name, near.filter.Projects = "project", []string{q.Project}
	case q.Session != "":
		near.name, near.filter = "dropped", all.ownDropped()
	default:
		return []scope{all}
	}
	return []scope{near, all}
}
