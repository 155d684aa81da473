package transcript

import "time"

// Class says how recall treats a record. The list of known types is a
// whitelist: what is not on it is Unknown.
type Class uint8

const (
	Unknown      Class = iota // type not known: its links are kept, its text is not
	Conversation              // somebody's words, a command or its output; also summaries
	Structure                 // a compaction boundary
	Metadata                  // titles and other facts about the session
	Noise                     // known, of no use to a reader: counted by Why
	Broken                    // not a JSON object: counted by Why
)

// Kind says what a part of a message is. The same words serve as flag values
// and in JSON.
type Kind string

const (
	Text    Kind = "text"    // what a person or the model wrote
	Command Kind = "command" // a tool call or a shell command
	Output  Kind = "output"  // what a tool or command printed
	FileRef Kind = "file"    // a file attached to the conversation
	Summary Kind = "summary" // a compaction summary: nobody's words
)

// Part is one block of a message that a reader may want to find.
type Part struct {
	Kind   Kind
	Text   string // valid UTF-8, as said, called or printed
	Tool   string // tool name: of the call, and of the result where it is known
	ToolID string // toolu_… identifier of the call or of the call it answers
	Error  bool   // output that reports a failure
	// Block names the content block within the conversation, of an answer that
	// was written as several growing records: of two parts with the same name the
	// later one is right. "" when a block cannot come twice.
	Block string
}

// Record is one JSON object of a transcript, classified.
type Record struct {
	Off  int64  // byte offset of the object in the file
	End  int64  // offset just after it (and its newline, if any)
	Line int    // 1-based line number
	Raw  []byte // the object's own bytes, without newline; valid until the next record is read

	Class Class
	Type  string // "user", "attachment/queued_command", "system/compact_boundary", …
	Why   string // for Noise and Broken: a short reason that doctor counts
	Torn  bool   // Broken at the end of the file without newline: may still be completed

	UUID, Parent  string
	LogicalParent string
	Session       string // as the record says; the file name decides (File.Session)
	Agent         string
	CWD           string
	Branch        string
	Version       string
	Time          time.Time // zero when absent
	Sidechain     bool

	Role      string // "user" or "assistant"
	MessageID string // the API's id; records of one answer share it
	Model     string
	Parts     []Part   // only what may be indexed; own echoes and noise are left out
	Calls     []string // ids of all tool calls, also of those not in Parts
	Results   []string // ids of the calls that this record answers
	Compact   *Compact // of a boundary
	IsSummary bool
	Title     string // of a title record
}

// Compact is what a boundary record says. Every field may be absent.
type Compact struct {
	Trigger    string `json:"trigger,omitempty"` // "auto" or "manual"
	PreTokens  int    `json:"pre_tokens,omitempty"`
	PostTokens int    `json:"post_tokens,omitempty"`
	Anchor     string `json:"anchor,omitempty"` // uuid the preserved tail hangs on
	// Preserved lists the kept records in order; when it is empty but Head and
	// Tail are set, the kept records are those between them.
	Preserved []string `json:"preserved,omitempty"`
	Head      string   `json:"head,omitempty"`
	Tail      string   `json:"tail,omitempty"`
}

// Node is the part of a record that the tree of a session needs.
type Node struct {
	UUID      string    `json:"u"`
	Parent    string    `json:"p,omitempty"`
	Logical   string    `json:"l,omitempty"`
	Type      string    `json:"t"` // "user", "assistant", "attachment", "system", or the unknown type
	Role      string    `json:"r,omitempty"`
	MessageID string    `json:"m,omitempty"`
	Calls     []string  `json:"c,omitempty"`
	Results   []string  `json:"o,omitempty"`
	Sidechain bool      `json:"s,omitempty"`
	Summary   bool      `json:"y,omitempty"`
	Prompt    bool      `json:"h,omitempty"` // a real prompt: words typed by a person
	Compact   *Compact  `json:"k,omitempty"`
	Time      time.Time `json:"d,omitzero"`
}

// Compaction is one boundary of a session and what it took away.
type Compaction struct {
	Nth       int    // 1-based, in file order
	Boundary  string // uuid
	Summary   string // uuid of the summary record, "" when there is none
	Time      time.Time
	Trigger   string
	PreTokens int
	// Dropped are indexes into the nodes given, in chain order: the live chain
	// before the boundary minus what was preserved.
	Dropped   []int
	Preserved []int
}
