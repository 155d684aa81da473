package search

import (
	"context"
	"testing"

	"recall/embed"
	"recall/index"
)

// BenchmarkSearch is one question to the open index of the sample history, 830
// messages, with vectors of the stand-in embedder.
func BenchmarkSearch(b *testing.B) {
	ctx := context.Background()
	o := index.Options{Dir: b.TempDir(), Sources: []string{"../cmd/recall/demo/history/projects"}, Embedder: embed.NewHashed(384)}
	x, err := index.Open(ctx, o)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := x.Sync(ctx, index.SyncOptions{}); err != nil {
		b.Fatal(err)
	}
	x.Close()
	if _, err := index.Embed(ctx, o, index.EmbedOptions{}); err != nil {
		b.Fatal(err)
	}
	if x, err = index.Open(ctx, o); err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	s := New(x, o.Embedder)
	for b.Loop() {
		res, err := s.Search(ctx, Query{Text: "Which p99 latency did the load test with serializable transactions show?"})
		if err != nil || !res.Found {
			b.Fatal(res, err)
		}
	}
}
