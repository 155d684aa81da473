package search

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/embed"
	"recall/index"
	"recall/transcript"
)

func TestStore(t *testing.T) {
	t.Run("mem", func(t *testing.T) { testStore(t, suite{newMem(nil, suiteTalks()...), nil}) })
	t.Run("mem with vectors", func(t *testing.T) {
		emb := embed.NewHashed(64)
		testStore(t, suite{newMem(emb, suiteTalks()...), emb})
	})
	t.Run("index", func(t *testing.T) { testStore(t, suite{newIndex(t, nil, suiteTalks()...), nil}) })
	t.Run("index with vectors", func(t *testing.T) {
		emb := embed.NewHashed(64)
		testStore(t, suite{newIndex(t, emb, suiteTalks()...), emb})
	})
}

// newIndex writes talks as transcripts and indexes them.
func newIndex(t *testing.T, emb embed.Embedder, talks ...talk) *index.Index {
	t.Helper()
	root := filepath.Join(t.TempDir(), "projects")
	for _, k := range talks {
		writeTalk(t, root, k)
	}
	return openIndex(t, root, emb)
}

// openIndex indexes the transcripts below root in a folder of the test's own.
func openIndex(t *testing.T, root string, emb embed.Embedder) *index.Index {
	t.Helper()
	ctx := context.Background()
	o := index.Options{Dir: t.TempDir(), Sources: []string{root}, Embedder: emb}
	x, err := index.Open(ctx, o)
	if err == nil {
		_, err = x.Sync(ctx, index.SyncOptions{})
	}
	if err == nil && emb != nil {
		if err = x.Close(); err == nil {
			_, err = index.Embed(ctx, o, index.EmbedOptions{})
		}
		if err == nil {
			x, err = index.Open(ctx, o)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// writeTalk writes a conversation the way the client does.
func writeTalk(t *testing.T, root string, k talk) {
	t.Helper()
	path := filepath.Join(root, transcript.EncodeDir(k.Project), k.Session+".jsonl")
	if k.Agent != "" {
		path = filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents", "agent-"+k.Agent+".jsonl")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	last, now := any(nil), memEpoch
	for i, s := range k.Said {
		now = now.Add(time.Minute)
		if !s.Time.IsZero() {
			now = s.Time
		}
		rec := map[string]any{"uuid": s.UUID, "parentUuid": last, "sessionId": k.Session, "cwd": k.Project, "version": "2.1.332",
			"isSidechain": k.Agent != "", "timestamp": now.Format(time.RFC3339)}
		fillRecord(rec, s, i)
		line, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
		last = s.UUID
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func fillRecord(rec map[string]any, s said, i int) {
	message := func(role string, content any) {
		rec["type"] = role
		rec["message"] = map[string]any{"role": role, "id": fmt.Sprintf("msg_%s%d", s.UUID, i), "content": content}
	}
	switch {
	case s.Boundary:
		rec["type"], rec["subtype"], rec["content"] = "system", "compact_boundary", "Conversation compacted"
		rec["logicalParentUuid"], rec["parentUuid"] = rec["parentUuid"], nil
		rec["compactMetadata"] = map[string]any{"trigger": "auto", "preTokens": 150000}
	case s.Kind == transcript.Summary:
		rec["isCompactSummary"] = true
		message("user", s.Text)
	case s.Kind == transcript.Command:
		message("assistant", []any{map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", i), "name": s.Tool, "input": map[string]any{"command": s.Text}}})
	case s.Kind == transcript.Output:
		message("user", []any{map[string]any{"type": "tool_result", "tool_use_id": fmt.Sprintf("toolu_%d", i-1), "content": s.Text}})
	case s.Role == "assistant":
		message("assistant", []any{map[string]any{"type": "text", "text": s.Text}})
	default:
		message("user", s.Text)
	}
}
