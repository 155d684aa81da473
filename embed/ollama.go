package embed

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// OllamaOptions say which server and model to use. Only Model is needed.
type OllamaOptions struct {
	URL   string // of the server; default http://127.0.0.1:11434
	Model string // e.g. "nomic-embed-text"
	// QueryPrefix and DocumentPrefix are put before texts, for models that were
	// trained with such; with the wrong ones they find much less.
	QueryPrefix, DocumentPrefix string
	// NumThread limits the threads of the server; 0 leaves it to the server,
	// which on busy processors can be ten times slower than 1.
	NumThread int
	Batch     int           // texts in a request; default 32
	Timeout   time.Duration // of each request, loading the model included; default 2 minutes
}

// Ollama embeds texts by a model of an Ollama server. It is safe for use by
// several goroutines.
//
// A text longer than the model's context is cut, never the server's way, which
// is silent: the server is told to refuse it, and a refused text is asked for
// again with a quarter less of its end until it fits.
type Ollama struct {
	client   *api.Client
	opt      OllamaOptions
	model    string
	dim      int
	maxBytes int // no text of more bytes fits the context
}

// bytesPerToken is more than tokens take on average in any text that is worth
// reading; what lies behind is cut off before the server is asked.
const bytesPerToken = 16

// NewOllama asks the server about the model and lets it embed one word, which
// loads it. The error wraps [ErrNoModel] or [ErrNoServer] where that is the
// reason.
func NewOllama(ctx context.Context, opt OllamaOptions) (*Ollama, error) {
	if opt.Model == "" {
		return nil, fmt.Errorf("%w: none was named", ErrNoModel)
	}
	opt.Batch = cmp.Or(max(opt.Batch, 0), 32)
	opt.Timeout = cmp.Or(opt.Timeout, 2*time.Minute)
	base, err := serverURL(opt.URL)
	if err != nil {
		return nil, err
	}
	opt.URL = base.String()
	o := &Ollama{client: api.NewClient(base, new(http.Client)), opt: opt}
	if err := o.inspect(ctx); err != nil {
		return nil, err
	}
	return o, nil
}

// inspect fills in what the server knows of the model.
func (o *Ollama) inspect(ctx context.Context) error {
	var shown *api.ShowResponse
	err := o.call(ctx, func(ctx context.Context) (err error) {
		shown, err = o.client.Show(ctx, &api.ShowRequest{Model: o.opt.Model})
		return err
	})
	if err != nil {
		return err
	}
	if !slices.Contains(shown.Capabilities, "embedding") {
		return fmt.Errorf("%w: %s at %s cannot embed, only %v", ErrNoModel, o.opt.Model, o.opt.URL, shown.Capabilities)
	}
	arch, _ := shown.ModelInfo["general.architecture"].(string)
	if n, ok := shown.ModelInfo[arch+".context_length"].(float64); ok {
		o.maxBytes = int(n) * bytesPerToken
	}
	name, digest, err := o.identity(ctx)
	if err != nil {
		return err
	}
	// The dimension that Show tells is that of the layers, which need not be
	// the vectors'.
	vs, err := o.request(ctx, []string{"dimension"})
	if err != nil {
		return err
	}
	o.dim = len(vs[0])
	o.model = fmt.Sprintf("ollama:%s@%.12s/%d%s", name, digest, o.dim, o.prefixTag())
	return nil
}

// identity returns the full name of the model and the digest of its weights.
func (o *Ollama) identity(ctx context.Context) (name, digest string, err error) {
	var list *api.ListResponse
	err = o.call(ctx, func(ctx context.Context) (err error) {
		list, err = o.client.List(ctx)
		return err
	})
	if err != nil {
		return "", "", err
	}
	for _, m := range list.Models {
		if m.Name == o.opt.Model || m.Name == o.opt.Model+":latest" {
			return m.Name, strings.TrimPrefix(m.Digest, "sha256:"), nil
		}
	}
	return "", "", fmt.Errorf("%w: %s is not in the list of %s", ErrNoModel, o.opt.Model, o.opt.URL)
}

// prefixTag tells apart the vectors made with one pair of prefixes from those
// made with others. Without prefixes it is empty.
func (o *Ollama) prefixTag() string {
	if o.opt.QueryPrefix == "" && o.opt.DocumentPrefix == "" {
		return ""
	}
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%q %q", o.opt.QueryPrefix, o.opt.DocumentPrefix)
	return fmt.Sprintf("+%08x", sum.Sum32())
}

// Model names the model as the server lists it, the first digits of its digest
// and the dimension: "ollama:nomic-embed-text:latest@0a109f422b47/768". If
// there are prefixes, a hash of them follows.
func (o *Ollama) Model() string { return o.model }

// Dim is the length of every vector.
func (o *Ollama) Dim() int { return o.dim }

// Query embeds what is searched for.
func (o *Ollama) Query(ctx context.Context, text string) (Vector, error) {
	if blank(text) {
		return nil, errEmptyQuery
	}
	vs, err := o.fitting(ctx, []string{o.opt.QueryPrefix + text})
	if err != nil {
		return nil, err
	}
	return vs[0], nil
}

// Documents embeds texts to be found; see [Embedder].
func (o *Ollama) Documents(ctx context.Context, texts []string) ([]Vector, error) {
	return o.all(ctx, o.opt.DocumentPrefix, texts)
}

// Words embeds words as queries; see [WordEmbedder].
func (o *Ollama) Words(ctx context.Context, words []string) ([]Vector, error) {
	return o.all(ctx, o.opt.QueryPrefix, words)
}

// all embeds texts batch by batch.
func (o *Ollama) all(ctx context.Context, prefix string, texts []string) ([]Vector, error) {
	out := make([]Vector, 0, len(texts))
	for part := range slices.Chunk(texts, o.opt.Batch) {
		var asked []string
		for _, text := range part {
			if !blank(text) {
				asked = append(asked, prefix+text)
			}
		}
		vs, err := o.fitting(ctx, asked)
		for _, text := range part {
			switch {
			case blank(text):
				out = append(out, nil)
			case len(vs) == 0:
				return out, err
			default:
				out = append(out, vs[0])
				vs = vs[1:]
			}
		}
	}
	return out, nil
}
