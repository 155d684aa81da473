package embedtest_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"recall/embed"
	"recall/embed/embedtest"
)

// The recordings are of Ollama 0.17.4 with the models of testdata/tinymodel.py.
// To make them anew: UPDATE=1 OLLAMA_HOST=127.0.0.1:11434 go test ./embed/embedtest

func newOllama(t *testing.T, url, model string) *embed.Ollama {
	t.Helper()
	o, err := embed.NewOllama(t.Context(), embed.OllamaOptions{URL: url, Model: model, NumThread: 1, Batch: 4})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOllamaConforms(t *testing.T) {
	o := newOllama(t, startReplay(t, "ollama.json"), "recall-embed")
	embedtest.Run(t, o)
	if o.Dim() != 32 || !strings.HasPrefix(o.Model(), "ollama:recall-embed:latest@") {
		t.Errorf("Dim() = %d, Model() = %q", o.Dim(), o.Model())
	}
}

// TestOllamaCutsItself checks that what is left of a text too long is its
// beginning, and that the others of its batch are not touched.
func TestOllamaCutsItself(t *testing.T) {
	o := newOllama(t, startReplay(t, "ollama-long.json"), "recall-embed")
	long := strings.Repeat("0123456789 ", 30) // 300 tokens, the context has 96
	vs, err := o.Documents(t.Context(), []string{"alpha", long, "omega", long + "another end"})
	if err != nil || len(vs) != 4 {
		t.Fatalf("Documents = %d vectors, %v", len(vs), err)
	}
	alone, err := o.Documents(t.Context(), []string{"alpha"})
	if err != nil {
		t.Fatal(err)
	}
	if c := vs[0].Dot(alone[0]); c < 0.9999 {
		t.Errorf("cosine %.5f of a short text beside a long one to itself alone", c)
	}
	if c := vs[1].Dot(vs[2]); c > 0.9999 {
		t.Error("a long text and a short one have the same vector")
	}
}

func TestOllamaWithoutModel(t *testing.T) {
	url := startReplay(t, "ollama-missing.json")
	for _, model := range []string{"no-such-model", "recall-chat"} {
		_, err := embed.NewOllama(t.Context(), embed.OllamaOptions{URL: url, Model: model})
		if !errors.Is(err, embed.ErrNoModel) || !strings.Contains(err.Error(), model) {
			t.Errorf("%s: %v, want ErrNoModel and the name", model, err)
		}
	}
}

// TestRealOllama asks a real server, as started by ../shared/ollama/start.sh,
// which has a chat model; and an embedding model if one is named.
func TestRealOllama(t *testing.T) {
	chat, embedding := os.Getenv("RECALL_TEST_OLLAMA_MODEL"), os.Getenv("RECALL_TEST_OLLAMA_EMBED_MODEL")
	if chat == "" && embedding == "" {
		t.Skip("neither RECALL_TEST_OLLAMA_MODEL nor RECALL_TEST_OLLAMA_EMBED_MODEL is set")
	}
	url := os.Getenv("OLLAMA_HOST")
	if chat != "" {
		_, err := embed.NewOllama(t.Context(), embed.OllamaOptions{URL: url, Model: chat, NumThread: 1})
		if !errors.Is(err, embed.ErrNoModel) {
			t.Errorf("chat model %s: %v, want ErrNoModel", chat, err)
		}
	}
	if embedding != "" {
		embedtest.Run(t, newOllama(t, url, embedding))
	}
}
