package embedtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// exchange is one request to a server and its answer.
type exchange struct {
	Request string // method, path and body
	Status  int
	Answer  json.RawMessage
}

// replay is a server that answers as a real one did when it was recorded. With
// UPDATE=1 it asks the server at OLLAMA_HOST and records what that says.
type replay struct {
	t    *testing.T
	file string
	real string // URL, empty when replaying

	mu        sync.Mutex
	exchanges map[string]exchange
}

// startReplay serves the recording in testdata/name for the rest of the test.
func startReplay(t *testing.T, name string) (url string) {
	r := &replay{t: t, file: filepath.Join("testdata", name), exchanges: map[string]exchange{}}
	if os.Getenv("UPDATE") == "1" && os.Getenv("OLLAMA_HOST") != "" {
		r.real = "http://" + strings.TrimPrefix(os.Getenv("OLLAMA_HOST"), "http://")
		t.Cleanup(r.save)
	} else {
		r.load()
	}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return server.URL
}

func (r *replay) load() {
	data, err := os.ReadFile(r.file)
	if err != nil {
		r.t.Fatal(err)
	}
	var all []exchange
	if err := json.Unmarshal(data, &all); err != nil {
		r.t.Fatal(err)
	}
	for _, e := range all {
		r.exchanges[e.Request] = e
	}
}

func (r *replay) save() {
	var all []exchange
	for _, key := range slices.Sorted(maps.Keys(r.exchanges)) {
		all = append(all, r.exchanges[key])
	}
	data, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.file, append(data, '\n'), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *replay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the client went away
	}
	key := fmt.Sprintf("%s %s %s", req.Method, req.URL.Path, bytes.TrimSpace(body))
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.exchanges[key]
	if !ok && r.real == "" {
		r.t.Errorf("request was not recorded: %.200s", key)
		http.Error(w, "not recorded", http.StatusNotImplemented)
		return
	}
	if !ok {
		e = r.ask(req, key, body)
		r.exchanges[key] = e
	}
	w.WriteHeader(e.Status)
	w.Write(e.Answer)
}

// ask passes a request on to the real server. What the answer says of the
// machine is left out.
func (r *replay) ask(req *http.Request, key string, body []byte) exchange {
	out, err := http.NewRequest(req.Method, r.real+req.URL.Path, bytes.NewReader(body))
	if err != nil {
		r.t.Error(err)
		return exchange{Status: http.StatusBadGateway}
	}
	resp, err := http.DefaultClient.Do(out)
	if err != nil {
		r.t.Error(err)
		return exchange{Status: http.StatusBadGateway}
	}
	defer resp.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		r.t.Error(err)
	}
	for _, private := range []string{"modelfile", "tensors", "modified_at", "total_duration", "load_duration"} {
		delete(answer, private)
	}
	if details, ok := answer["details"].(map[string]any); ok {
		delete(details, "parent_model")
	}
	text, err := json.Marshal(answer)
	if err != nil {
		r.t.Error(err)
	}
	return exchange{Request: key, Status: resp.StatusCode, Answer: text}
}
