package index

import (
	"context"

	"recall/embed"
)

// Similar implements search.Store.
func (x *Index) Similar(ctx context.Context, words []string, k int) ([][]Alike, error) {
	x.mu.Lock() // the mean is made on the way
	defer x.mu.Unlock()
	out := make([][]Alike, len(words))
	if x.words == nil || x.words.Len() == 0 {
		return out, nil
	}
	vecs, err := x.wordVectors(ctx, words)
	if err != nil {
		return nil, err
	}
	for i, w := range words {
		if vecs[i] != nil {
			out[i] = x.words.Near(vecs[i], termOf(w), k)
		}
	}
	return out, nil
}

// wordVectors takes known words from the table and embeds the others.
func (x *Index) wordVectors(ctx context.Context, words []string) ([]vector, error) {
	out := make([]vector, len(words))
	var missing []string
	var where []int
	for i, w := range words {
		if v, ok := x.words.Get(termOf(w)); ok {
			out[i] = v
			continue
		}
		missing, where = append(missing, w), append(where, i)
	}
	we, ok := x.o.Embedder.(embed.WordEmbedder)
	if len(missing) == 0 || !ok {
		return out, nil
	}
	vecs, err := we.Words(ctx, missing)
	for j, v := range vecs {
		out[where[j]] = v
	}
	return out, err
}

// termOf is the index term of a single word.
func termOf(word string) string {
	if t := Terms(word); len(t) > 0 {
		return t[len(t)-1]
	}
	return word
}
