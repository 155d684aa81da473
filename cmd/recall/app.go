package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/search"
)

// maxHits bounds --limit.
const maxHits = 1000

// app is what every command shares: streams, settings, the clock.
type app struct {
	args     []string
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	tty      terminal // of out
	errTTY   terminal // of err
	place    place

	// From the flags of every command.
	configFile string
	logFile    string
	verbose    bool

	conf    *config
	log     *slog.Logger
	closers []io.Closer
}

func newApp(args []string, in io.Reader, out, err io.Writer, getenv func(string) string) *app {
	a := &app{
		args: args, in: in, out: out, err: err, getenv: getenv, now: time.Now,
		tty: terminalOf(out, getenv), errTTY: terminalOf(err, getenv), place: thisPlace(getenv),
		log: slog.New(slog.DiscardHandler),
	}
	a.out = &checked{w: out}
	return a
}

// checked remembers the first error of a writer, which many small writes do not
// look at.
type checked struct {
	w   io.Writer
	err error
}

func (c *checked) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

func (a *app) close() {
	for _, c := range a.closers {
		c.Close()
	}
}

// setUp reads the settings and starts the log, before a command that needs them.
func (a *app) setUp(cmd *cobra.Command) error {
	flags := map[string]string{}
	for _, k := range keys {
		if f := cmd.Flags().Lookup(k.flag); k.flag != "" && f != nil && f.Changed {
			flags[k.flag] = strings.Join(flagValues(f), string(os.PathListSeparator))
		}
	}
	var err error
	if a.conf, err = readConfig(a.place, a.configFile, flags); err != nil {
		return err
	}
	return a.startLog()
}

func level(s string) (slog.Level, error) {
	var l slog.Level
	err := l.UnmarshalText([]byte(s))
	return l, err
}

// startLog sends the log to --log-file, or to standard error after -v. Without
// either, nothing but the answer's own hints is written there.
func (a *app) startLog() error {
	lev, err := level(a.conf.get("log_level"))
	if err != nil {
		return err
	}
	w := a.err
	switch {
	case a.logFile != "":
		f, err := os.OpenFile(a.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return hintf("usage", "", "log file: %w", err)
		}
		a.closers = append(a.closers, f)
		w = f
	case a.verbose:
		lev = min(lev, slog.LevelInfo)
	default:
		return nil
	}
	a.log = slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: lev}))
	return nil
}

// printJSON writes v, a struct whose first field is the version, on one line or,
// for people, indented. Its texts are cleaned.
func (a *app) printJSON(v any) error {
	indent := ""
	if a.tty.is {
		indent = "  "
	}
	b, err := encode(v, indent)
	if err == nil {
		_, err = a.out.Write(jsonString.ReplaceAllFunc(b, cleanString))
	}
	return err
}

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// cleanString cleans a string as JSON writes it.
func cleanString(b []byte) []byte {
	var s string
	if json.Unmarshal(b, &s) != nil {
		return b
	}
	if clean := search.Clean(s); clean != s {
		b, _ = encode(clean, "") // a string has no error
		b = bytes.TrimSuffix(b, []byte("\n"))
	}
	return b
}

// tell writes a line for people to standard error.
func (a *app) tell(format string, v ...any) {
	fmt.Fprintf(a.err, format+"\n", v...)
}

// hint tells a command that helps.
func (a *app) hint(words ...string) { a.tell("hint: %s", commandLine(words...)) }

// timeFlag reads the value of --since or --until.
func (a *app) timeFlag(cmd *cobra.Command, name string) (from, to time.Time, err error) {
	s, _ := cmd.Flags().GetString(name)
	if s == "" {
		return from, to, nil
	}
	from, to, err = when(s, a.now())
	if err != nil {
		return from, to, hintf("usage", a.corrected(cmd, name, "7d"), "--%s: %v", name, err)
	}
	return from, to, nil
}
