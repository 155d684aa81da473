package search

import "time"

// Result is the answer to one question. Its JSON is what `recall search --json`
// prints; fields are only ever added.
type Result struct {
	V      int      `json:"v"` // always 1
	Query  string   `json:"query"`
	Also   []string `json:"also"`
	Found  bool     `json:"found"` // at least one hit passes the calibrated floor
	Scope  Scope    `json:"scope"`
	Fresh  Fresh    `json:"fresh"`
	Hits   []Hit    `json:"hits"`
	Weak   []Hit    `json:"weak,omitempty"` // what was found when Found is false
	Answer *Answer  `json:"answer"`         // nil unless asked for
}

// Scope says what was asked and what was searched in the end.
type Scope struct {
	Asked    string `json:"asked"`    // "auto", "session", "project", "all"
	Searched string `json:"searched"` // "dropped", "session", "project", "all"
	Session  string `json:"session,omitempty"`
	Project  string `json:"project,omitempty"`
	Sessions int    `json:"sessions"` // sessions in scope
}

// Fresh says how far the answer can be trusted to be complete.
type Fresh struct {
	AsOf        time.Time `json:"as_of"` // when the index was last in step with the files
	FilesBehind int       `json:"files_behind"`
	Unembedded  int       `json:"unembedded"` // messages found by keyword only
	Notes       []string  `json:"notes"`
}

// Hit is one message that answers, with what stands around it.
type Hit struct {
	Rank          int       `json:"rank"`
	Score         float64   `json:"score"` // 0 to 1
	Pointer       string    `json:"pointer"`
	Session       string    `json:"session"`
	Project       string    `json:"project"`
	Title         string    `json:"title"`
	Time          time.Time `json:"time"`
	Role          string    `json:"role"`
	Kind          string    `json:"kind"`
	Tool          string    `json:"tool,omitempty"`
	Subagent      string    `json:"subagent"`
	Dropped       *Dropped  `json:"dropped"` // nil while the message is in the model's context
	UUIDs         []string  `json:"uuids"`   // the messages the hit stands for, best first
	Excerpt       string    `json:"excerpt"`
	Before        []Near    `json:"before"`
	After         []Near    `json:"after"`
	Parts         Parts     `json:"parts"`
	SourceDeleted bool      `json:"source_deleted"`
}

// Dropped says at which compaction a message left the model's context.
type Dropped struct {
	Boundary string    `json:"boundary"`
	Time     time.Time `json:"time"`
	Trigger  string    `json:"trigger"`
	Nth      int       `json:"nth"`
}

// Near is the other half of a hit's exchange.
type Near struct {
	UUID    string `json:"uuid"`
	Role    string `json:"role"`
	Kind    string `json:"kind"`
	Excerpt string `json:"excerpt"`
}

// Parts are the shares of a hit's score, each 0 to 1.
type Parts struct {
	Keyword float64 `json:"keyword"`
	Meaning float64 `json:"meaning"`
	Context float64 `json:"context"`
}

// Answer is an exact answer with the quote it rests on.
type Answer struct {
	Text    string `json:"text"`
	Quote   string `json:"quote"`
	Pointer string `json:"pointer"`
	By      string `json:"by"`
}
