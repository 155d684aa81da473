package embed

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeOllama answers like a server with one model "tiny" whose context holds
// context characters. Its vectors are a text's length and first character.
type fakeOllama struct {
	context int
	bad     func(texts []string) (status int, body string) // answers first, unless status is 0

	mu    sync.Mutex
	asked [][]string // texts of each request
	last  map[string]any
}

func (f *fakeOllama) start(t *testing.T) string {
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return server.URL
}

func (f *fakeOllama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/show":
		fmt.Fprintf(w, `{"capabilities":["embedding"],"model_info":{"general.architecture":"bert","bert.context_length":%d}}`, f.context)
	case "/api/tags":
		fmt.Fprint(w, `{"models":[{"name":"other:latest","digest":"ffff"},{"name":"tiny:latest","digest":"0123456789abcdef0123456789abcdef"}]}`)
	case "/api/embed":
		f.embed(w, r)
	}
}

func (f *fakeOllama) embed(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = nil
	if err := json.NewDecoder(r.Body).Decode(&f.last); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var texts []string
	var vectors [][]float32
	status, body := 0, ""
	for _, x := range f.last["input"].([]any) {
		text := x.(string)
		texts = append(texts, text)
		if len(text) > f.context {
			status, body = http.StatusBadRequest, `{"error":"the input length exceeds the context length"}`
		}
		vectors = append(vectors, []float32{float32(len(text)), float32(text[0])})
	}
	f.asked = append(f.asked, texts)
	if f.bad != nil && status == 0 {
		status, body = f.bad(texts)
	}
	if status != 0 {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"embeddings": vectors})
}

func (f *fakeOllama) open(t *testing.T, opt OllamaOptions) *Ollama {
	t.Helper()
	opt.URL, opt.Model = f.start(t), "tiny"
	o, err := NewOllama(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	f.asked = nil
	return o
}

func TestOllamaNames(t *testing.T) {
	for name, c := range map[string]struct {
		opt  OllamaOptions
		want string
	}{
		"plain":              {OllamaOptions{}, "ollama:tiny:latest@0123456789ab/2"},
		"prefixes are in it": {OllamaOptions{QueryPrefix: "q: ", DocumentPrefix: "d: "}, "ollama:tiny:latest@0123456789ab/2+d2cf61be"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeOllama{context: 100}
			if got := f.open(t, c.opt).Model(); got != c.want {
				t.Errorf("Model() = %q, want %q", got, c.want)
			}
		})
	}
}

func TestOllamaRequests(t *testing.T) {
	f := &fakeOllama{context: 100}
	o := f.open(t, OllamaOptions{DocumentPrefix: "d: ", QueryPrefix: "q: ", Batch: 2, NumThread: 3})
	vs, err := o.Documents(t.Context(), []string{"a", "", "b", "c", " \n", "\t"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, true, true, false, false} {
		if (vs[i] != nil) != want {
			t.Errorf("text %d: vector %v", i, vs[i])
		}
	}
	if diff := cmp.Diff([][]string{{"d: a"}, {"d: b", "d: c"}}, f.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"num_thread": 3.0}, f.last["options"]); diff != "" || f.last["truncate"] != false {
		t.Errorf("truncate %v, options (-want +got):\n%s", f.last["truncate"], diff)
	}
	f.asked = nil
	if _, err := o.Words(t.Context(), []string{"w"}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Query(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"q: w"}, {"q: x"}}, f.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestOllamaTooLong(t *testing.T) {
	f := &fakeOllama{context: 20}
	o := f.open(t, OllamaOptions{})
	vs, err := o.Documents(t.Context(), []string{"a", "b" + strings.Repeat("é", 5000), "c"})
	if err != nil || len(vs) != 3 {
		t.Fatalf("Documents = %d vectors, %v", len(vs), err)
	}
	last := ""
	for _, texts := range f.asked {
		for _, text := range texts {
			if len(text) > 20*bytesPerToken {
				t.Errorf("asked about %d bytes", len(text))
			}
			if strings.HasPrefix(text, "b") {
				last = text
			}
		}
	}
	if len(last) > 20 || len(last) < 15 || strings.TrimRight(last, "é") != "b" {
		t.Errorf("cut to %q, want about 20 bytes of whole characters", last)
	}
}

func TestOllamaKeepsWhatCame(t *testing.T) {
	f := &fakeOllama{context: 100, bad: func(texts []string) (int, string) {
		if texts[0] == "c" {
			return http.StatusInternalServerError, `{"error":"out of memory"}`
		}
		return 0, ""
	}}
	o := f.open(t, OllamaOptions{Batch: 1})
	vs, err := o.Documents(t.Context(), []string{"a", "b", "c", "d"})
	if len(vs) != 2 || err == nil || !strings.Contains(err.Error(), "out of memory") {
		t.Errorf("Documents = %d vectors, %v, want 2 and the server's words", len(vs), err)
	}
}

func TestOllamaBadAnswers(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"too few vectors":       {`{"embeddings":[]}`, "0 vectors for 1 texts"},
		"another dimension":     {`{"embeddings":[[1,2,3]]}`, "3 numbers, want 2"},
		"zeros have no cosine":  {`{"embeddings":[[0,0]]}`, "without direction"},
		"no JSON":               {`busy`, "invalid character"},
		"cannot be cut shorter": {"", "context length"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeOllama{context: 100}
			o := f.open(t, OllamaOptions{})
			f.bad = func([]string) (int, string) { return http.StatusOK, c.body }
			if c.body == "" {
				f.context = -1
			}
			if v, err := o.Query(t.Context(), "x"); v != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Query = %v, %v, want an error with %q", v, err, c.want)
			}
		})
	}
}

func TestOllamaNotThere(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	_, err := NewOllama(t.Context(), OllamaOptions{URL: closed.URL, Model: "tiny"})
	if !errors.Is(err, ErrNoServer) || !strings.Contains(err.Error(), closed.URL) {
		t.Errorf("error %v, want ErrNoServer and the address", err)
	}
}

func TestOllamaNeedsName(t *testing.T) {
	if _, err := NewOllama(t.Context(), OllamaOptions{}); !errors.Is(err, ErrNoModel) {
		t.Errorf("error %v, want ErrNoModel", err)
	}
}

func TestOllamaDeadline(t *testing.T) {
	f := &fakeOllama{context: 100}
	_, err := NewOllama(t.Context(), OllamaOptions{URL: f.start(t), Model: "tiny", Timeout: time.Nanosecond})
	if err == nil || !strings.Contains(err.Error(), "did not answer within 1ns") {
		t.Errorf("error %v, want one that names the time", err)
	}
}

func TestServerURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "http://127.0.0.1:11434",
		"127.0.0.1:99":          "http://127.0.0.1:99",
		"https://example.test":  "https://example.test",
		"http://[::1]:11434":    "http://[::1]:11434",
		":11434":                "",
		"ftp://example.test":    "",
		"http://127.0.0.1:port": "",
	} {
		u, err := serverURL(in)
		if want == "" {
			if err == nil {
				t.Errorf("serverURL(%q) = %v, want an error", in, u)
			}
		} else if err != nil || u.String() != want {
			t.Errorf("serverURL(%q) = %v, %v, want %s", in, u, err, want)
		}
	}
}
