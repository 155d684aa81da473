package search

import (
	"recall/index"
)

// Query is one question.
type Query struct {
	Text    string   // as typed: any text at all
	Also    []string // other wordings of the same question
	Scope   string   // "auto" (default), "session", "project", "all"
	Session string   // the session asked about or asked from, "" when not known
	Project string   // likewise, a folder
	// Filter narrows further; its Sessions and Projects are set from Scope, but
	// for scope "all", which leaves them as they are.
	Filter   index.Filter
	Limit    int     // hits at most; 0 means 10
	MinScore float64 // hits below are left out
	Excerpt  int     // characters of an excerpt at most; 0 means 700
	// Prompt is the current prompt of the asking session: a message that equals
	// it is never returned.
	Prompt string
}
