package search

import (
	"context"

	"recall/index"
)

// Store is what ranking asks of an index. *index.Index is one; another store
// can be put behind the same ranking. Methods may be called by several
// goroutines at once.
type Store interface {
	// Lexical returns at most n passages in scope that hold at least one of the
	// terms, best first by the store's own scoring. Terms are index tokens, as
	// index.Terms gives them.
	Lexical(ctx context.Context, terms []string, f index.Filter, n int) ([]index.Scored, error)
	// Nearest returns at most n passages in scope whose vectors are nearest to
	// vec, best first; the score is the cosine.
	Nearest(ctx context.Context, vec []float32, f index.Filter, n int) ([]index.Scored, error)
	// Stats counts over the passages in scope.
	Stats(ctx context.Context, terms []string, f index.Filter) (index.Stats, error)
	// Passages describes the passages ids and all those that stand at most
	// around positions before or after one of them in the same session and agent,
	// each once, with Counts for terms. Order: by session, agent, Pos.
	Passages(ctx context.Context, ids []index.ID, around int, terms []string) ([]index.Passage, error)
	// Totals returns, for each session and agent of the passages ids, the
	// summed length and term counts of all its passages: the session as one document.
	Totals(ctx context.Context, ids []index.ID, terms []string) (map[index.SessionKey]index.Total, error)
	// Cosines returns the dot product of vec with the vector of each passage;
	// NaN where a passage has none.
	Cosines(ctx context.Context, ids []index.ID, vec []float32) ([]float64, error)
	// Similar returns, for each word, up to k index terms whose words are used alike, with
	// their cosine (word vectors centred on their mean), best first; nothing
	// when the store has no word vectors.
	Similar(ctx context.Context, words []string, k int) ([][]index.Alike, error)
	// Text returns the indexed text of a passage and its byte range in the
	// message's part.
	Text(ctx context.Context, id index.ID) (string, error)
	// Exchange returns the message of a passage with its text and the other half
	// of its exchange: the prompt before an answer, or the answer after a prompt.
	Exchange(ctx context.Context, id index.ID) (index.Exchange, error)
}
