package search

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"recall/embed"
	"recall/index"
)

// Ids of the conversations that the tests make up.
const (
	home  = "11111111-0000-4000-8000-000000000001" // in project /home/dev/app
	other = "22222222-0000-4000-8000-000000000002" // likewise
	away  = "33333333-0000-4000-8000-000000000003" // in project /home/dev/site
)

func talkOf(session string, said ...said) talk {
	project := "/home/dev/app"
	if session == away {
		project = "/home/dev/site"
	}
	return talk{Session: session, Project: project, Title: "talk " + session[:4], Said: said}
}

func user(id, text string) said  { return said{UUID: id, Role: "user", Text: text} }
func reply(id, text string) said { return said{UUID: id, Role: "assistant", Text: text} }
func call(id, text string) said {
	return said{UUID: id, Role: "assistant", Kind: "command", Tool: "Bash", Text: text}
}
func output(id, text string) said {
	return said{UUID: id, Role: "user", Kind: "output", Tool: "Bash", Text: text}
}

// small talk that fills conversations without matching any question.
func filler(n int) []said {
	words := []string{"anchor", "bridge", "candle", "desert", "ember", "forest", "garden", "harbour", "island", "jungle"}
	out := make([]said, n)
	for i := range out {
		a, b := words[i%len(words)], words[(i/len(words)+3*i+1)%len(words)]
		out[i] = said{UUID: "filler", Role: "assistant", Text: "The " + a + " is next to the " + b + ", number " + strings.Repeat("i", i%7+1) + "."}
	}
	return out
}

func search(t *testing.T, s Store, q Query) *Result {
	t.Helper()
	res, err := New(s, nil).Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// all are the hits of a result, strong or weak.
func all(r *Result) []Hit {
	if r.Found {
		return r.Hits
	}
	return r.Weak
}

// ids are the first uuids of hits.
func ids(hits []Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.UUIDs[0])
	}
	return out
}

// shown is all text that a hit shows.
func shown(h Hit) string {
	var b strings.Builder
	for _, n := range h.Before {
		b.WriteString(n.Excerpt + "\n")
	}
	b.WriteString(h.Excerpt + "\n")
	for _, n := range h.After {
		b.WriteString(n.Excerpt + "\n")
	}
	return b.String()
}

// topics embeds a text by the topics its words belong to: a stand-in for a
// model that knows what words mean.
type topics map[string]int

const topicCount = 8

func (tp topics) Model() string { return "topics" }
func (tp topics) Dim() int      { return topicCount + 1 }

func (tp topics) Documents(_ context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	for i, text := range texts {
		v := make(embed.Vector, tp.Dim())
		v[topicCount] = .3 // what all texts share
		for _, w := range words(text) {
			if at, ok := tp[w]; ok {
				v[at]++
			}
		}
		n := float32(math.Sqrt(float64(v.Dot(v))))
		for j := range v {
			v[j] /= n
		}
		out[i] = v
	}
	return out, nil
}

func (tp topics) Query(ctx context.Context, text string) (embed.Vector, error) {
	v, err := tp.Documents(ctx, []string{text})
	return v[0], err
}

// mute is an embedder whose server is down.
type mute struct{ topics }

func (mute) Query(context.Context, string) (embed.Vector, error) {
	return nil, errors.New("connection refused")
}

// damaged is a store whose archive has lost some messages.
type damaged struct {
	*mem
	lost string // uuid
}

func (d damaged) Exchange(ctx context.Context, id index.ID) (index.Exchange, error) {
	if d.passages[id].UUID == d.lost {
		return index.Exchange{}, errors.New("checksum does not match")
	}
	return d.mem.Exchange(ctx, id)
}

// broken is a store that cannot list.
type broken struct{ *mem }

var errBroken = errors.New("keyword index is closed")

func (broken) Lexical(context.Context, []string, index.Filter, int) ([]index.Scored, error) {
	return nil, errBroken
}
