package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"recall/index"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // goldens hold local times
	testscript.Main(m, map[string]func(){
		"recall": func() { os.Exit(mainCode()) },
	})
}

// TestScripts runs the command line as users do. Scripts search by keyword
// unless they say otherwise: vectors have tests of their own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: os.Getenv("UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			for k, v := range map[string]string{
				"HOME": e.WorkDir, "USERPROFILE": e.WorkDir, "RECALL_HOME": filepath.Join(e.WorkDir, "data"),
				"RECALL_CONFIG": "", "CLAUDE_CONFIG_DIR": filepath.Join(e.WorkDir, "claude"),
				"RECALL_EMBEDDER": "none", "TZ": "UTC",
			} {
				e.Setenv(k, v)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"chat": writeChats,
			"hold": holdIndex,
			"rc":   checkExitCode,
		},
	})
}

// chat writes transcripts from conversations in short form.
func writeChats(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		text := strings.ReplaceAll(ts.ReadFile(name), "$WORK", ts.Getenv("WORK"))
		_, err := writeChat(ts.MkAbs("claude/projects"), text)
		ts.Check(err)
	}
}

// hold keeps the index open until the end of the script, as another process
// would.
func holdIndex(ts *testscript.TestScript, neg bool, args []string) {
	x, err := index.Open(context.Background(), index.Options{Dir: ts.Getenv("RECALL_HOME")})
	ts.Check(err)
	ts.Defer(func() { x.Close() })
}

// rc runs a command and checks its exit code: rc CODE COMMAND…
func checkExitCode(ts *testscript.TestScript, neg bool, args []string) {
	got := 0
	err := ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if want := args[0]; want != strconv.Itoa(got) {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}
