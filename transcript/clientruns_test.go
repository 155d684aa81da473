package transcript

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// expected is what the client sent to the model in its last request.
type expected struct {
	Before time.Time `json:"before"`
	Blocks []string  `json:"blocks"`
}

func readAll(t testing.TB, path string) []*Record {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := NewReader(f, State{})
	var all []*Record
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		rec.Raw = slices.Clone(rec.Raw)
		all = append(all, rec)
	}
}

func nodesOf(recs []*Record, before time.Time) (nodes []Node, own []*Record) {
	for _, rec := range recs {
		n, ok := rec.Node()
		if ok && (before.IsZero() || !rec.Time.After(before)) {
			nodes, own = append(nodes, n), append(own, rec)
		}
	}
	return nodes, own
}

var unsent = regexp.MustCompile(`^T:(<system-reminder>|<local-command-caveat>|\[Image: source|The user sent a new message|<task-notification>|Tool loaded\.|<command-name>|<local-command-stdout>|<bash-)`)

// sent returns the blocks of a record in the notation of the expected files.
func sent(t *testing.T, rec *Record) (out []string) {
	var raw struct {
		IsMeta, IsAPIErrorMessage bool
		Message                   struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(rec.Raw, &raw); err != nil {
		t.Fatal(err)
	}
	if raw.IsMeta || raw.IsAPIErrorMessage || rec.Type != "user" && rec.Type != "assistant" {
		return nil
	}
	var blocks []struct{ Type, Text, ID, Tool_use_id string }
	if json.Unmarshal(raw.Message.Content, &blocks) != nil {
		var s string
		if err := json.Unmarshal(raw.Message.Content, &s); err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks[:0], struct{ Type, Text, ID, Tool_use_id string }{Type: "text", Text: s})
	}
	for _, b := range blocks {
		s := b.Type
		switch b.Type {
		case "text":
			s = "T:" + strings.TrimSpace(b.Text)
			if strings.HasPrefix(s, "T:"+summaryStart) {
				s = s[:87]
			}
		case "tool_use":
			s = "U:" + b.ID
		case "tool_result":
			s = "R:" + b.Tool_use_id
		case "thinking":
			s = "K"
		case "image":
			s = "I"
		}
		if !unsent.MatchString(s) {
			out = append(out, s)
		}
	}
	return out
}

// sortResults puts runs of parallel results into one order.
func sortResults(s []string) []string {
	s = slices.Clone(s)
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && strings.HasPrefix(s[j], "R:") {
			j++
		}
		slices.SortFunc(s[i:j], cmp.Compare[string])
		i = max(j, i+1)
	}
	return s
}

func TestLiveIsWhatTheClientSent(t *testing.T) {
	files, err := filepath.Glob("testdata/client-runs/*/expected/*.json")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d expected files, %v", len(files), err)
	}
	for _, name := range files {
		run, session := filepath.Dir(filepath.Dir(name)), strings.TrimSuffix(filepath.Base(name), ".json")
		t.Run(filepath.Base(run)+"/"+session[:8], func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var want expected
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			paths, _ := filepath.Glob(filepath.Join(run, "projects/*", session+".jsonl"))
			if len(paths) != 1 {
				t.Fatalf("transcripts: %v", paths)
			}
			nodes, recs := nodesOf(readAll(t, paths[0]), want.Before)
			var got []string
			for _, i := range Live(nodes) {
				got = append(got, sent(t, recs[i])...)
			}
			if diff := gocmp.Diff(sortResults(want.Blocks), sortResults(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
