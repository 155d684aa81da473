package mcpserver

import (
	"bufio"
	"context"
	"io"
	"log"
	"log/slog"
	"strings"

	"github.com/mark3labs/mcp-go/server"
)

// Serve speaks the protocol on in and out, a JSON message a line, until in ends
// or ctx does. It may be called once in a process: the library keeps the session
// of standard streams in a global.
func Serve(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer, l *slog.Logger) error {
	std := server.NewStdioServer(s)
	std.SetErrorLogger(log.New(logWriter{l}, "", 0))
	err := std.Listen(ctx, &lines{in: bufio.NewReader(in)}, out)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// lines passes on whole lines: blank ones are dropped and the last one is ended,
// where the library would answer with a parse error or not at all.
type lines struct {
	in   *bufio.Reader
	left []byte
}

func (r *lines) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		line, err := r.in.ReadBytes('\n')
		if text := strings.TrimSpace(string(line)); text != "" {
			r.left = append([]byte(text), '\n')
			break
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

type logWriter struct{ l *slog.Logger }

func (w logWriter) Write(p []byte) (int, error) {
	w.l.Warn(strings.TrimSpace(string(p)))
	return len(p), nil
}
