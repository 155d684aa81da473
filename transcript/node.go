package transcript

import "strings"

// Prompt tells whether the record holds words that a person typed as a prompt:
// not a command, a tool result, a summary, a notice, or what a parent
// conversation told its sub-agent. Words that were typed while the model worked
// count, whatever record holds them: an attachment, one made from the queue, or
// (older clients) a text beside a tool result. Only records of type "user"
// without Results are listed by the client's rewind picker.
func (r *Record) Prompt() bool {
	if r.Class != Conversation || r.Role != "user" || r.IsSummary || r.Sidechain {
		return false
	}
	for _, part := range r.Parts {
		if part.Kind == Text {
			return true
		}
	}
	return false
}

// Node returns what the tree of the session needs of the record; ok is false
// when the record does not stand in the tree. Records that have no text for the
// index, and those of unknown types, still link others.
func (r *Record) Node() (n Node, ok bool) {
	if r.UUID == "" || r.Class == Broken {
		return Node{}, false
	}
	typ, _, _ := strings.Cut(r.Type, "/")
	return Node{
		UUID: r.UUID, Parent: r.Parent, Logical: r.LogicalParent,
		Type: typ, Role: r.Role, MessageID: r.MessageID,
		Calls: r.Calls, Results: r.Results,
		Sidechain: r.Sidechain, Summary: r.IsSummary, Prompt: r.Prompt(),
		Compact: r.Compact, Time: r.Time,
	}, true
}
