package index

import (
	"time"

	"recall/index/vectors"
	"recall/transcript"
)

// ID numbers a passage: a piece of one part of one message, about 1,200
// characters long. IDs are dense, start at 0 and are stable for the life of an
// index folder (a rebuild from the archive gives the same ones).
type ID uint32

// Filter narrows what is searched. The zero Filter means everything. Fields are
// joined by AND, values within a field by OR.
type Filter struct {
	Sessions  []string // full session ids; sub-agents of a session belong to it
	Projects  []string // project folders (the cwd of the session's first record)
	Kinds     []transcript.Kind
	Roles     []string  // who wrote it; leaves commands and outputs out, which have no speaker
	Subagents string    // "" or "include", "exclude", "only"
	Since     time.Time // inclusive; zero means open
	Until     time.Time // exclusive; zero means open
	Dropped   bool      // only messages that some compaction dropped
}

// Scored is a passage with the score its store gave it.
type Scored struct {
	ID    ID
	Score float64
}

// Passage is what ranking needs to know of a passage, without its text.
type Passage struct {
	ID      ID
	Message uint32 // dense message number; passages of one message share it
	Chunk   int    // 0-based piece number within the message
	Session string // full id
	Agent   string // sub-agent id, "" for the main conversation
	Project string
	UUID    string
	Kind    transcript.Kind
	Role    string
	Time    time.Time
	Pos     int     // position of the passage among those of its session and agent, in file order
	Len     int     // number of index tokens
	Counts  []uint8 // occurrences of each asked term, in the order asked (saturating)
}

// Stats are figures about the passages in scope.
type Stats struct {
	Passages int            // passages in scope
	Sessions int            // sessions in scope, sub-agents counted with theirs
	MeanLen  float64        // tokens per passage
	Tools    float64        // share of passages that are commands or outputs
	DF       map[string]int // passages that hold the term, over the whole index
	Total    int            // passages in the whole index: the N that goes with DF
	Wanted   int            // passages in scope that get a vector, if they have one yet or not
	Pending  int            // passages in scope that still wait for their vector
}

// Message is a message with its text.
type Message struct {
	Num     uint32
	Session string
	Agent   string
	Project string
	Title   string // of the session
	UUID    string
	Role    string
	Kind    transcript.Kind // of its first part
	Parts   []transcript.Part
	Time    time.Time
	CWD     string
	Branch  string
	Version string
	Model   string
	Path    string // transcript file
	Line    int
	Deleted bool     // the transcript file is gone; the text is from the archive
	Live    bool     // on the live chain of its session
	Dropped *Dropped // the compaction that took it out of the model's context
}

// Dropped says at which compaction a message left the model's context.
type Dropped struct {
	Boundary string // uuid
	Time     time.Time
	Trigger  string
	Nth      int
}

// SessionKey names a conversation: a session, or one sub-agent of it.
type SessionKey struct{ Session, Agent string }

// Total is a whole conversation seen as one document.
type Total struct {
	Passages int
	Len      int
	Counts   []int // occurrences of each asked term
}

// Alike is an index term whose words are used like the word asked about.
type Alike = vectors.Alike

// Exchange is a message and the other half of its exchange.
type Exchange struct {
	Message Message
	Part    int // the part of Message that the passage is from
	Start   int // byte offset of the passage in that part's text
	End     int
	Before  []Message // the prompt that an answer, command or output belongs to
	After   []Message // the answer to a prompt
}
