package archive

import (
	"encoding/json"
	"errors"
	"testing"
)

func FuzzFrame(f *testing.F) {
	var b Builder
	b.Start(Source{Path: "p", Session: "s"})
	b.Add(1, 0, []byte("{}"))
	f.Add(b.buf)
	f.Fuzz(func(t *testing.T, p []byte) {
		_, pos, err := decodeSource(p)
		for err == nil && pos < len(p) {
			var n int
			_, n, err = decodeRecord(p[pos:])
			pos += n
		}
		var e *json.SyntaxError
		_ = errors.As(err, &e)
	})
}
