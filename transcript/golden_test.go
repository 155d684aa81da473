package transcript

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestGolden shows what is made of each recorded session: how many records of
// each class, then those that are kept, "*" before what the model sees last.
func TestGolden(t *testing.T) {
	runs, err := filepath.Glob("testdata/client-runs/*-*")
	if err != nil || len(runs) != 24 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, run := range runs {
		t.Run(filepath.Base(run), func(t *testing.T) {
			var out strings.Builder
			for _, name := range recordedFiles(t) {
				if rel, ok := strings.CutPrefix(filepath.ToSlash(name), filepath.ToSlash(run)+"/projects/"); ok {
					out.WriteString("== " + rel + "\n")
					describe(&out, readAll(t, name))
				}
			}
			golden := filepath.Join("testdata/golden", filepath.Base(run)+".txt")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func describe(out *strings.Builder, recs []*Record) {
	nodes, own := nodesOf(recs, time.Time{})
	live := map[string]bool{}
	for _, i := range Live(nodes) {
		live[own[i].UUID] = true
	}
	counts := map[string]int{}
	for _, rec := range recs {
		if len(rec.Parts) == 0 {
			counts[outline(rec)]++
		}
	}
	for _, what := range slices.SortedFunc(maps.Keys(counts), cmp.Compare[string]) {
		fmt.Fprintf(out, "%6d  %s\n", counts[what], what)
	}
	for _, rec := range recs {
		mark := " "
		if live[rec.UUID] {
			mark = "*"
		}
		for _, part := range rec.Parts {
			text := strings.ReplaceAll(part.Text, "\n", "⏎")
			if r := []rune(text); len(r) > 100 {
				text = string(r[:99]) + "…"
			}
			fmt.Fprintf(out, "%5d%s %.8s %s %s%s %s\n", rec.Line, mark, rec.UUID, cmp.Or(part.Tool, rec.Role), part.Kind, map[bool]string{true: "!"}[part.Error], text)
		}
	}
	for _, c := range Compactions(nodes) {
		fmt.Fprintf(out, "       compaction %d: %s, %d tokens, %d records dropped, %d preserved\n", c.Nth, c.Trigger, c.PreTokens, len(c.Dropped), len(c.Preserved))
	}
}
