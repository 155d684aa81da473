package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/cmd/recall/mcpserver"
	"recall/embed"
	"recall/index"
	"recall/search"
)

// shelf is a library over one small conversation.
func shelf(t *testing.T) *library {
	t.Helper()
	dir := t.TempDir()
	_, err := writeChat(filepath.Join(dir, "projects"), "session 1 /home/dev/shop 2026-11-02T09:00:00Z\n"+
		"user: prepared statements keep failing behind pgbouncer\nassistant: We pinned pgx to 5.4.3.\nuser: why does pgbouncer fail?")
	if err != nil {
		t.Fatal(err)
	}
	l := &library{log: slog.New(slog.DiscardHandler), embedWait: time.Second}
	l.opts.Dir, l.opts.Sources = filepath.Join(dir, "data"), []string{filepath.Join(dir, "projects")}
	t.Cleanup(func() { l.close() })
	return l
}

func TestBackgroundWorkEndsWithEveryVector(t *testing.T) {
	l := shelf(t)
	l.embedder = func(context.Context) (embed.Embedder, error) { return embed.NewHashed(32), nil }
	l.keep = time.Hour // an index kept open must not stand in Embed's way
	for more := true; more; {
		var err error
		if more, err = l.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	err := l.use(t.Context(), func(x *index.Index) error {
		st, err := x.Status(t.Context())
		if st.Messages != 3 || st.Vectors == 0 || st.Pending != 0 {
			t.Errorf("got %d messages, %d vectors, %d pending", st.Messages, st.Vectors, st.Pending)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSearchGoesOnWithoutEmbedder(t *testing.T) {
	l := shelf(t)
	l.embedder = func(context.Context) (embed.Embedder, error) { return nil, errors.New("the server is down") }
	fill := func(context.Context, *index.Index, *search.Query) error { return nil }
	res, err := l.search(t.Context(), search.Query{Text: "pgbouncer", Scope: "all", Limit: 5}, before{sync: time.Minute, prepare: fill})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(res.Fresh.Notes, "\n")
	if !res.Found || !strings.Contains(notes, "searched by keyword only: the server is down") {
		t.Errorf("found %v, notes %q", res.Found, notes)
	}
}

func TestAWaitForTheLockIsToldOnce(t *testing.T) {
	l := shelf(t)
	x, err := index.Open(t.Context(), index.Options{Dir: l.opts.Dir})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	l.busy = func(err error) { told = append(told, holder(err)); x.Close() }
	l.opts.Wait = time.Minute
	for range 2 {
		if err := l.use(t.Context(), func(*index.Index) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "process ") || !strings.HasSuffix(told[0], "which is using "+l.opts.Dir) {
		t.Errorf("got %q", told)
	}
	if got, want := holder(&index.LockedError{Dir: "d"}), "another process, which is using d"; got != want {
		t.Errorf("holder unknown: got %q, want %q", got, want)
	}
}

// TestTheAskingConversationKnowsItsProject: the working folder may be another one.
func TestTheAskingConversationKnowsItsProject(t *testing.T) {
	l := shelf(t)
	k := asking{dir: "/", place: place{"linux", env("CLAUDE_CONFIG_DIR", t.TempDir(), "CLAUDE_CODE_SESSION_ID", "11111111-1111-4111-8111-111111111111")}}
	for _, tc := range []struct{ reason, asked, want string }{
		{"of the conversation", "", "/home/dev/shop"},
		{"asked for", "/home/dev/other", "/home/dev/other"},
	} {
		q := search.Query{Text: "pgbouncer", Project: tc.asked}
		err := l.use(t.Context(), func(x *index.Index) error {
			l.catchUp(t.Context(), x, time.Minute, nil)
			return k.fill(t.Context(), x, &q)
		})
		if err != nil || q.Project != tc.want {
			t.Errorf("%s: got %s, %v", tc.reason, q.Project, err)
		}
	}
}

func TestTheCurrentPromptIsNoAnswer(t *testing.T) {
	l := shelf(t)
	k := asking{place: place{"linux", env("CLAUDE_CONFIG_DIR", t.TempDir(), "CLAUDE_CODE_SESSION_ID", "11111111-1111-4111-8111-111111111111")}}
	res, err := (&backend{l, k}).Search(t.Context(), search.Query{Text: "why does pgbouncer fail?", Scope: "session", Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Hits)+len(res.Weak) == 0 {
		t.Error("nothing found at all")
	}
	for _, h := range append(res.Hits, res.Weak...) {
		if h.Excerpt == "why does pgbouncer fail?" {
			t.Errorf("the question itself was returned: %v", h)
		}
	}
}

func TestReadingOfUnknownAndEmptyPlaces(t *testing.T) {
	b := &backend{shelf(t), asking{place: place{"linux", env()}}}
	_, err := b.Read(t.Context(), mcpserver.Range{Pointer: "recall:99999999"}, func(mcpserver.Message) bool { return true })
	if !notFound(err) {
		t.Errorf("got %v", err)
	}
	var got []string
	r, err := b.Read(t.Context(), mcpserver.Range{Pointer: "recall:11111111", Before: 3, After: 3}, func(m mcpserver.Message) bool {
		got = append(got, m.Pointer)
		return len(got) < 2
	})
	if err != nil || r.Total != 3 || len(got) != 2 || got[0] != "recall:11111111#11000001" {
		t.Errorf("got %v of %d, %v", got, r.Total, err)
	}
}
