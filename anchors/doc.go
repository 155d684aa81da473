// Package anchors names places in past conversations and finds the way back to
// them.
//
// [Parse] reads a pointer that somebody typed or pasted, [InText] finds those
// that stand in free text, and [Resolve] turns one into messages, asking a
// store through [Directory].
//
// Printed forms, where <session>, <agent> and <message> are ids or unambiguous
// beginnings of ids (an agent's id is always whole):
//
//	recall:<session>                  a whole conversation
//	recall:<session>#<message>        one message
//	recall:<session>#<from>..<to>     the messages from one to the other
//	recall:<session>#dropped-2        what the second compaction dropped
//	recall:<session>:120-180          what stood at these lines of its transcript
//	recall:<session>/<agent>…         the same for a sub-agent of the session
//
// In an id, bytes other than ASCII letters, digits, "_" and "-" are written
// %XX, as in a URL; ids that Claude Code makes have none.
//
// Accepted besides: recall://session/<id> and recall://message/<session>/<id>;
// a form without "recall:" when the session is a UUID or a beginning of one;
// a bare session or message id or its beginning; a toolu_… id; the path of a
// transcript, with :120, :120-180, :120- (to the end) or #L120-L180 behind it;
// the sentence with which a summary names its transcript; any text that holds
// one of these.
//
// A pointer is never resolved to anything but messages that the Directory
// knows: a path in it is a name to look up, and no file is opened.
package anchors
