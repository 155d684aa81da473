// Command recall searches and reads past conversations with coding agents, also
// what was removed from them when they were compacted.
//
// One file per subcommand; [run] is the whole program without the process
// around it. Start with root.go for the commands and library.go for how they
// reach the index. What this package promises: standard output carries the
// answer alone; every error that a user can cause ends with a command that
// helps; exit codes are those of exitCode, and each command's help lists them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(mainCode()) }

func mainCode() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second ^C ends the process at once
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	report(os.Stderr, err, asksForJSON(os.Args[1:]))
	return exitCode(err)
}

// run executes a command line. Errors are returned, not printed.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) error {
	return newApp(args, stdin, stdout, stderr, getenv).execute(ctx)
}

// execute runs the command that a's arguments name.
func (a *app) execute(ctx context.Context) error {
	defer a.close()
	root := newRoot(a)
	root.SetArgs(a.args)
	err := root.ExecuteContext(ctx)
	if c, ok := a.out.(*checked); ok && c.err != nil && ctx.Err() == nil {
		return fmt.Errorf("standard output: %w", c.err)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	return err
}
