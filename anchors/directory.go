package anchors

import "context"

// Place is one message in one conversation.
type Place struct {
	Session string // full id
	Agent   string // sub-agent id, "" for the main conversation
	UUID    string // full
	Path    string // transcript file it was read from
	Line    int    // 1-based
}

// Directory is what resolving a pointer asks of a store. All lists are in file
// order; prefixes are matched without regard to case.
type Directory interface {
	// SessionIDs returns the full ids of known sessions that begin with prefix, at most 20.
	SessionIDs(ctx context.Context, prefix string) ([]string, error)
	// ByUUID returns the messages whose uuid begins with prefix, at most 20; within
	// session when that is not "". A message copied into several sessions is
	// returned once for each, that of the oldest session first.
	ByUUID(ctx context.Context, session, prefix string) ([]Place, error)
	// ByTool returns the messages that hold the call or the result with that
	// toolu_… id, those of the oldest session first.
	ByTool(ctx context.Context, id string) ([]Place, error)
	// ByLines returns the messages that stood at lines from..to (inclusive,
	// to <= 0: to the end) of the transcript at path; a path that is not known is
	// looked up by its file name.
	ByLines(ctx context.Context, path string, from, to int) ([]Place, error)
	// DroppedAt returns what the nth compaction (1-based) of a session dropped.
	DroppedAt(ctx context.Context, session string, nth int) ([]Place, error)
	// Conversation returns all messages of a session and agent.
	Conversation(ctx context.Context, session, agent string) ([]Place, error)
	// Deleted tells whether the transcript file at path is gone.
	Deleted(path string) bool
}
