// Package transcript reads the conversation files that Claude Code writes.
//
// Start with [Find], which lists the files below a projects folder, and
// [NewReader], which goes through one of them record by record:
//
//	r := transcript.NewReader(f, transcript.State{})
//	for {
//		rec, err := r.Next()
//		if err == io.EOF {
//			break
//		}
//		…
//	}
//	saved := r.State() // seek to saved.Off and pass it to NewReader to go on
//
// A record is one JSON object, usually one line. The reader never gives up on
// bad content: what it cannot read is returned as a record of class Broken,
// what it does not know as Unknown, and only the file's own read errors end it.
//
// What a record says is sorted by a whitelist. Parts holds only what somebody
// wrote, called or printed and may want to find again. Left out are injected
// reminders, meta records, hook output, thinking, images, notices of
// background tasks, API errors, and recall's own echo: calls of its tools,
// their results, and chats that it held itself (see [OwnMarker]).
//
// The records of a file form a tree by Parent. [Live] follows it to the
// messages that the model sees now, [Compactions] tells what each compaction
// took away. Both work on [Node] values, which are small enough to be kept for
// a whole session.
//
// The package writes nothing and knows nothing about search.
package transcript
