//go:build unix

package transcript

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFindSkipsPipes(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "-p/good.jsonl")
	if err := syscall.Mkfifo(filepath.Join(dir, "-p", "pipe.jsonl"), 0o600); err != nil {
		t.Skip(err)
	}
	if files, problems := Find(context.Background(), dir, nil); len(files) != 1 || len(problems) != 0 {
		t.Errorf("%+v %v", files, problems)
	}
}
