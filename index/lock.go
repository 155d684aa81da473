package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked is what a LockedError is.
var ErrLocked = errors.New("the data folder is in use")

// LockedError says who holds the data folder.
type LockedError struct {
	Dir     string
	PID     int
	Command string
	Since   time.Time
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("%s is in use by another process", e.Dir)
	}
	return fmt.Sprintf("%s is in use by process %d (%s) since %s", e.Dir, e.PID, e.Command, e.Since.Format(time.TimeOnly))
}

func (e *LockedError) Is(target error) bool { return target == ErrLocked }

type holder struct {
	PID     int       `json:"pid"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// lock takes the data folder for this process, waiting at most wait. The kernel
// frees the lock when the process ends; the file is never removed.
func lock(ctx context.Context, dir string, wait time.Duration) (*flock.Flock, error) {
	l := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	ok, err := l.TryLockContext(ctx, 10*time.Millisecond)
	if !ok && (err == nil || errors.Is(err, context.DeadlineExceeded)) {
		return nil, lockedBy(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	h, _ := json.Marshal(holder{os.Getpid(), commandName(), time.Now()})
	// Only for messages: a process that cannot write it still holds the lock.
	_ = os.WriteFile(filepath.Join(dir, "holder.json"), h, 0o600)
	return l, nil
}

func lockedBy(dir string) *LockedError {
	e := &LockedError{Dir: dir}
	b, err := os.ReadFile(filepath.Join(dir, "holder.json"))
	var h holder
	if err == nil && json.Unmarshal(b, &h) == nil && alive(h.PID) {
		e.PID, e.Command, e.Since = h.PID, h.Command, h.Since
	}
	return e
}

// alive tells whether the process runs; the note of a holder stays behind when
// it is killed.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	if runtime.GOOS == "windows" { // FindProcess has looked
		return p.Release() == nil
	}
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// commandName is the program and its subcommand, without arguments that might
// hold private words.
func commandName() string {
	name := filepath.Base(os.Args[0])
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		name += " " + os.Args[1]
	}
	return name
}
