package e5

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"recall/embed/bert"
	"recall/embed/embedtest"
)

func encoder(t *testing.T, opt Options) *Encoder {
	t.Helper()
	e, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// skipShort skips what takes minutes on an emulator.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("short")
	}
}

func TestConforms(t *testing.T) {
	skipShort(t)
	for _, kernel := range bert.Kernels() {
		if kernel == "go" {
			continue // plain Go takes seconds for long texts; TestGoldenVectors covers it
		}
		t.Run(kernel, func(t *testing.T) { embedtest.Run(t, encoder(t, Options{Kernel: kernel, Threads: 2})) })
	}
}

func TestModelName(t *testing.T) {
	if got, want := encoder(t, Options{}).Model(), "e5-small-v2-int8@6ab09d1d/384"; got != want {
		t.Errorf("Model() = %q, want %q", got, want)
	}
}

func TestUnknownKernel(t *testing.T) {
	_, err := New(Options{Kernel: "abacus"})
	if err == nil || !strings.Contains(err.Error(), `"abacus"`) {
		t.Errorf("New = %v, want an error that names the kernel", err)
	}
}

func TestNoticesNameLicence(t *testing.T) {
	for _, want := range []string{"intfloat/e5-small-v2", "Copyright (c) Microsoft", "WITHOUT WARRANTY"} {
		if !strings.Contains(Notices(), want) {
			t.Errorf("Notices() lacks %q", want)
		}
	}
}

func TestMeaning(t *testing.T) {
	skipShort(t)
	e := encoder(t, Options{})
	vs, err := e.Documents(t.Context(), []string{
		"The upload limit comes from the environment variable MAX_BODY_BYTES.",
		"Anna moves to Lisbon in October.",
		"Run the linter before you push.",
	})
	if err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(t.Context(), "how large may a file be that users send us?")
	if err != nil {
		t.Fatal(err)
	}
	if a, b, c := q.Dot(vs[0]), q.Dot(vs[1]), q.Dot(vs[2]); a < b || a < c {
		t.Errorf("cosines %.3f, %.3f, %.3f: the first should be greatest", a, b, c)
	}
}

// countdown is a context that is cancelled after it was asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelledMidway(t *testing.T) {
	skipShort(t)
	var texts []string
	for i := range 40 {
		texts = append(texts, fmt.Sprintf("text %d: %s", i, strings.Repeat("word ", 120)))
	}
	e := encoder(t, Options{Threads: 1})
	vs, err := e.Documents(&countdown{t.Context(), 3}, texts)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if len(vs) == 0 || len(vs) >= len(texts) {
		t.Fatalf("%d vectors of %d, want some", len(vs), len(texts))
	}
	for i, v := range vs {
		if v == nil {
			t.Errorf("vector %d is missing in what came", i)
		}
	}
}

func TestWordsAreQueries(t *testing.T) {
	skipShort(t)
	e := encoder(t, Options{})
	words := strings.Fields(strings.Repeat("retry budget upload limit socket ", 12)) // two batches
	vs, err := e.Words(t.Context(), words)
	if err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(t.Context(), "socket")
	if err != nil {
		t.Fatal(err)
	}
	if c := q.Dot(vs[len(vs)-1]); c < 0.9999 {
		t.Errorf("cosine %.5f of the last word to its query", c)
	}
}
