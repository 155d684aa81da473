package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"recall/embed"
	"recall/index"
)

// question is a query taken apart: its wordings as terms and vectors.
type question struct {
	wordings []wording
	terms    []string // of all wordings, each once: the order of Passage.Counts
	places   map[string]int
	alike    []index.Alike // expansions of a lone wording
	mean     embed.Vector  // of all wordings' vectors, nil for a lone one
	weighed  bool
	echoes   []echo
}

// echo is a text that is no answer when a person said it: the question itself.
type echo struct {
	text  string
	terms [2]int // how many index terms it has: as it is, and without punctuation
}

func echoOf(text string) echo {
	return echo{text, [2]int{len(index.Terms(text)), len(index.Terms(strings.Join(words(text), " ")))}}
}

// mayEcho says whether a text of so many terms may be the question itself.
func (q *question) mayEcho(terms int) bool {
	return slices.ContainsFunc(q.echoes, func(e echo) bool { return e.terms[0] == terms || e.terms[1] == terms })
}

// echoed says whether a text is the question itself.
func (q *question) echoed(text string) bool {
	return slices.ContainsFunc(q.echoes, func(e echo) bool { return sameWords(e.text, text) })
}

// wording is one way to put the question.
type wording struct {
	text  string
	terms []term
	asked int     // how many of terms are not expansions; they come first
	idf   float64 // summed over the asked terms, unknown ones at full weight
	vec   embed.Vector
}

// term is an index term that is looked for.
type term struct {
	text   string
	place  int // in question.terms
	idf    float64
	weight float64 // 1 for what was asked, less for an expansion
}

// ask takes texts apart, the question first, without duplicates. prompt is
// what the person typed who asks, "" when not known.
func ask(texts []string, prompt string) *question {
	q := &question{places: map[string]int{}}
	seen := map[string]bool{}
	for _, text := range append(slices.Clone(texts), prompt) {
		q.echoes = append(q.echoes, echoOf(text))
	}
	for _, text := range texts {
		w := wording{text: text}
		words := index.QueryWords(text)
		for _, x := range words[:min(len(words), mostWords)] {
			w.terms = append(w.terms, term{text: x.Term, place: q.place(x.Term), weight: 1})
		}
		if len(w.terms) > 0 && !seen[text] {
			seen[text] = true
			q.wordings = append(q.wordings, w)
		}
	}
	return q
}

func (q *question) place(t string) int {
	i, ok := q.places[t]
	if !ok {
		i = len(q.terms)
		q.places[t] = i
		q.terms = append(q.terms, t)
	}
	return i
}

// lone says whether there is one wording only.
func (q *question) lone() bool { return len(q.wordings) == 1 }

// widen asks the store for words used like those of a lone wording.
func (q *question) widen(ctx context.Context, store Store) error {
	if !q.lone() {
		return nil
	}
	words := index.QueryWords(q.wordings[0].text)
	if len(words) > alikeAsked {
		return nil
	}
	raw := make([]string, len(words))
	for i, w := range words {
		raw[i] = w.Raw
	}
	lists, err := store.Similar(ctx, raw, alikeWords)
	if err != nil {
		return err
	}
	best := map[string]float64{}
	for _, list := range lists {
		for _, a := range list {
			if _, asked := q.places[a.Term]; !asked {
				best[a.Term] = max(best[a.Term], a.Cosine)
			}
		}
	}
	for t, c := range best {
		q.alike = append(q.alike, index.Alike{Term: t, Cosine: c})
	}
	slices.SortFunc(q.alike, func(a, b index.Alike) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Term, b.Term))
	})
	for _, a := range q.alike {
		q.place(a.Term)
	}
	return nil
}

// weigh gives the terms their idf, keeps the rarest of each wording and adds
// the expansions. Only the first call does something: idf is over the whole
// index, whatever the scope.
func (q *question) weigh(st index.Stats) {
	if q.weighed {
		return
	}
	q.weighed = true
	for i := range q.wordings {
		w := &q.wordings[i]
		for j := range w.terms {
			w.terms[j].idf = idf(float64(st.Total), float64(st.DF[w.terms[j].text]))
		}
		if len(w.terms) > mostTerms {
			slices.SortStableFunc(w.terms, func(a, b term) int { return cmp.Compare(b.idf, a.idf) })
			w.terms = w.terms[:mostTerms]
		}
		w.asked = len(w.terms)
		for _, t := range w.terms {
			w.idf += t.idf
		}
	}
	for _, a := range q.alike {
		q.wordings[0].terms = append(q.wordings[0].terms, term{
			text: a.Term, place: q.places[a.Term], weight: alikeWeight * a.Cosine,
			idf: idf(float64(st.Total), float64(st.DF[a.Term])),
		})
	}
}

// idf is the weight of a term that df of n documents hold.
func idf(n, df float64) float64 { return math.Log(1 + (n-df+.5)/(df+.5)) }

// embed computes the wordings' vectors.
func (q *question) embed(ctx context.Context, emb embed.Embedder) error {
	for i := range q.wordings {
		v, err := emb.Query(ctx, q.wordings[i].text)
		if err != nil {
			for j := range q.wordings {
				q.wordings[j].vec = nil
			}
			return err
		}
		q.wordings[i].vec = v
	}
	if !q.lone() {
		q.mean = meanVector(q.wordings)
	}
	return nil
}

// meanVector is the direction of the wordings' vectors together; nil when they
// cancel out.
func meanVector(ws []wording) embed.Vector {
	sum := make(embed.Vector, len(ws[0].vec))
	for _, w := range ws {
		for i, x := range w.vec {
			sum[i] += x
		}
	}
	n := 0.0
	for _, x := range sum {
		n += float64(x) * float64(x)
	}
	if n == 0 {
		return nil
	}
	for i := range sum {
		sum[i] = float32(float64(sum[i]) / math.Sqrt(n))
	}
	return sum
}
