package embed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/ollama/ollama/api"
)

var (
	// ErrNoModel says that the server does not have the model, or has it but
	// it cannot embed.
	ErrNoModel = errors.New("no such embedding model")
	// ErrNoServer says that nothing answers at the server's address.
	ErrNoServer = errors.New("no ollama server")
)

// serverURL reads an address as Ollama's own tools do: the scheme may be left
// out.
func serverURL(s string) (*url.URL, error) {
	if s == "" {
		s = "127.0.0.1:11434"
	}
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("ollama address: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("ollama address %q is not of the form http://host:port", s)
	}
	return u, nil
}

// fitting embeds the texts of one batch. Where the server refuses a text as too
// long, the batch is halved until that text is alone, and then the text is cut.
// On error it returns the vectors of a prefix.
func (o *Ollama) fitting(ctx context.Context, texts []string) ([]Vector, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	vs, err := o.request(ctx, o.clip(texts))
	switch {
	case !tooLong(err):
		return vs, err
	case len(texts) > 1:
		half := len(texts) / 2
		vs, err := o.fitting(ctx, texts[:half])
		if err != nil {
			return vs, err
		}
		rest, err := o.fitting(ctx, texts[half:])
		return append(vs, rest...), err
	}
	text := o.clip(texts)[0]
	shorter := cut(text, len(text)/4*3)
	if shorter == "" {
		return nil, err
	}
	return o.fitting(ctx, []string{shorter})
}

// clip cuts off what no context can hold.
func (o *Ollama) clip(texts []string) []string {
	if o.maxBytes == 0 {
		return texts
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = cut(text, o.maxBytes)
	}
	return out
}

// cut returns the first n bytes of text at most, without half a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// request sends texts as they are, and checks the answer.
func (o *Ollama) request(ctx context.Context, texts []string) ([]Vector, error) {
	refuse := false
	req := &api.EmbedRequest{Model: o.opt.Model, Input: texts, Truncate: &refuse}
	if o.opt.NumThread > 0 {
		req.Options = map[string]any{"num_thread": o.opt.NumThread}
	}
	var answer *api.EmbedResponse
	err := o.call(ctx, func(ctx context.Context) (err error) {
		answer, err = o.client.Embed(ctx, req)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(answer.Embeddings) != len(texts) {
		return nil, fmt.Errorf("ollama sent %d vectors for %d texts", len(answer.Embeddings), len(texts))
	}
	vs := make([]Vector, len(texts))
	for i, e := range answer.Embeddings {
		if vs[i] = e; o.dim != 0 && len(e) != o.dim {
			return vs[:i], fmt.Errorf("ollama sent a vector of %d numbers, want %d", len(e), o.dim)
		}
		if !vs[i].unit() {
			return vs[:i], errors.New("ollama sent a vector without direction")
		}
	}
	return vs, nil
}

// call runs f within the time of one request and says in its error what is
// wrong.
func (o *Ollama) call(ctx context.Context, f func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, o.opt.Timeout)
	defer cancel()
	err := f(limited)
	var status api.StatusError
	var dial *net.OpError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return fmt.Errorf("ollama at %s did not answer within %v", o.opt.URL, o.opt.Timeout)
	case errors.As(err, &status) && status.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%w: %s at %s", ErrNoModel, o.opt.Model, o.opt.URL)
	case errors.As(err, &dial) && dial.Op == "dial":
		return fmt.Errorf("%w at %s: %v", ErrNoServer, o.opt.URL, dial.Err)
	}
	return fmt.Errorf("ollama: %w", err)
}

// tooLong reports the server's refusal of an input. It has no code of its own.
func tooLong(err error) bool {
	var status api.StatusError
	return errors.As(err, &status) && status.StatusCode == http.StatusBadRequest &&
		strings.Contains(status.ErrorMessage, "context length")
}
