package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"recall/search"
)

// Exit codes of every command.
const (
	exitDone        = 0
	exitNothing     = 1
	exitError       = 2
	exitPartly      = 3
	exitInterrupted = 130
)

// hint is an error with the command that helps, ready to be pasted.
type hint struct {
	err  error
	cmd  string
	code string // a word for scripts: "usage", "locked", …
}

func (h hint) Error() string { return h.err.Error() }
func (h hint) Unwrap() error { return h.err }

// Hint returns the command that helps.
func (h hint) Hint() string { return h.cmd }

// Code returns the word for scripts.
func (h hint) Code() string { return h.code }

// hintf makes an error with a hint.
func hintf(code, cmd, format string, v ...any) error {
	return hint{fmt.Errorf(format, v...), cmd, code}
}

// silent is an outcome that has been told already.
type silent string

func (s silent) Error() string { return string(s) }

var (
	errNothing     = silent("nothing found")
	errPartly      = silent("partly done")
	errFinding     = silent("a check failed")
	errInterrupted = errors.New("interrupted")
)

// exitCode is the one place where errors become exit codes.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, errPartly):
		return exitPartly
	case errors.Is(err, errNothing), errors.Is(err, errFinding), notFound(err):
		return exitNothing
	}
	return exitError
}

func notFound(err error) bool {
	var h hint
	return errors.As(err, &h) && (h.code == "not_found" || h.code == "not_a_pointer")
}

// report prints an error for people or, after --json, for scripts.
func report(w io.Writer, err error, asJSON bool) {
	var s silent
	if err == nil || errors.As(err, &s) {
		return
	}
	h := hint{code: "error"}
	errors.As(err, &h)
	if errors.Is(err, errInterrupted) {
		h.code = "interrupted"
	}
	if asJSON {
		writeErrorJSON(w, h, err)
		return
	}
	fmt.Fprintln(w, "recall: "+search.Clean(err.Error()))
	if h.cmd != "" {
		fmt.Fprintln(w, "hint: "+search.Clean(h.cmd))
	}
}

func writeErrorJSON(w io.Writer, h hint, err error) {
	type body struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	}
	json.NewEncoder(w).Encode(struct {
		V     int  `json:"v"`
		Error body `json:"error"`
	}{1, body{h.code, search.Clean(err.Error()), search.Clean(h.cmd)}})
}

// asksForJSON looks for --json before the flags are parsed: errors in them are
// JSON too.
func asksForJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// commandLine quotes words so that a shell takes them as they are.
func commandLine(words ...string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = shellWord(w)
	}
	return strings.Join(out, " ")
}

func shellWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+@%#", r)
	}
	if w != "" && w[0] != '#' && strings.TrimFunc(w, plain) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
