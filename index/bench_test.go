package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// generated writes n messages of plausible length over made-up words.
func generated(b *testing.B, root string, n int) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 5000)
	for i := range words {
		w := make([]byte, 3+r.IntN(8))
		for k := range w {
			w[k] = byte('a' + r.IntN(26))
		}
		words[i] = string(w)
	}
	text := func(n int) string {
		var s strings.Builder
		for range n {
			fmt.Fprintf(&s, "%s ", words[int(float64(len(words))*r.Float64()*r.Float64())])
		}
		return s.String()
	}
	var c *chat
	for i := range n {
		if i%200 == 0 {
			c = newChat(b, root, fmt.Sprintf("p%d", i%7), fmt.Sprintf("dddddddd-4444-4444-8444-%012d", i))
		}
		switch i % 4 {
		case 0:
			c.user(text(15))
		case 1:
			c.assistant(text(60))
		case 2:
			c.bash("go test ./"+text(3), text(250))
		}
	}
}

// BenchmarkSync is the first index of 1,000 messages.
func BenchmarkSync(b *testing.B) {
	root := filepath.Join(b.TempDir(), "projects")
	generated(b, root, 1000)
	for b.Loop() {
		x, err := Open(context.Background(), Options{Dir: b.TempDir(), Sources: []string{root}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := x.Sync(context.Background(), SyncOptions{}); err != nil {
			b.Fatal(err)
		}
		x.Close()
	}
}

// BenchmarkOpen is the cold start of the stores over 10,000 messages.
func BenchmarkOpen(b *testing.B) {
	root, dir := filepath.Join(b.TempDir(), "projects"), b.TempDir()
	generated(b, root, 10000)
	o := Options{Dir: dir, Sources: []string{root}}
	x, err := Open(context.Background(), o)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := x.Sync(context.Background(), SyncOptions{}); err != nil {
		b.Fatal(err)
	}
	x.Close()
	for b.Loop() {
		x, err := Open(context.Background(), o)
		if err != nil {
			b.Fatal(err)
		}
		x.Close()
	}
}
