// Package search answers questions from an index of past conversations: it
// ranks messages, cuts excerpts around what matches and says how sure it is.
//
// Start with [New] and [Searcher.Search]; [Query] says what can be asked and
// [Result] is what `recall search --json` prints. What ranking needs of an index
// is [Store], so that another index can stand behind the same ranking.
//
// A question is put in one or several wordings. For each the store lists the
// passages that hold its words, and for its vector the nearest ones. These
// and their neighbours are scored again:
//
//	words      BM25 × share of the words present × weight of the kind,
//	           + shares of the neighbours' scores, + a share of the session's;
//	           each wording by itself, brought to 0..1, added up
//	meaning    cosine, in chats smoothed over neighbours and session, brought
//	           to 0..1 over the best 200
//	session    + a share of the mean of the session's best
//
// How much each counts depends on whether the material is chat or code, which
// its own figures tell (weights.go, with what was measured). Passages of one
// message make one hit; so do texts that are alike, such as a file read twice.
// Whether anything is found at all is judged before the scores are fused
// (score.go).
//
// Never a hit: compaction summaries, unless asked for, and the question itself.
// All text of a Result but ids has gone through [Clean].
//
// The package reads nothing but its Store and writes nothing.
package search
