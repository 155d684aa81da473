// Package index keeps every message of the transcripts it is shown and finds
// them again by word and by meaning.
//
// Start with [Open] and [Index.Sync]; [Embed] adds the vectors. Searches go
// through the methods that package search asks for (Lexical, Nearest, Stats,
// Passages, …), pointers through those of anchors.Directory.
//
// # The data folder
//
//	archive/000001.zst …     the records, verbatim: the store of record
//	catalog.log              conversations, messages, passages: what search must know besides texts
//	nodes.log                the tree links of each conversation
//	forward.dat              the terms of each passage, for exact counts
//	bleve/                   the keyword index, with the watermark
//	vec/<model>/             vectors by content, and the words' vectors in words/;
//	                         complete: how many passages there were when none was left
//	fresh.json               when the sources were last read
//	lock, holder.json        the one process that owns the folder
//	embedding.lock           the one process that computes vectors
//
// Only the archive cannot be made again once the client has deleted its
// transcripts; everything else is derived from it. A batch is written in this
// order, each step durable before the next: archive; nodes, forward index,
// catalog; bleve's documents together with the watermark, which says how long
// the other files were. Open cuts off what is beyond the watermark and indexes
// the archive from there; when a derived file is damaged it makes all of them
// anew. Vectors are keyed by the hash of their text and by model, so neither
// kind of rebuild computes one twice.
//
// A message is one record with something to find in it; it is cut into
// passages of about 1,200 characters, which are what is scored. A record that
// comes again under the same uuid, by a second compaction or in a fork, is the
// same message; forks share it.
//
// One process owns the folder: Open takes a lock, waits a moment when another
// has it, and then says who. The package writes nothing outside the folder.
package index
