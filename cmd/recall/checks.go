package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"recall/index"
)

// testedClient is the newest client whose transcripts the tests hold.
const testedClient = "2.1.332"

// folders checks the places that recall reads and writes.
func (e *examination) folders() {
	for _, dir := range e.lib.opts.Sources {
		entries, err := os.ReadDir(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			e.add("error", "sources", "recall doctor --source DIR", "%s does not exist: name the folder of your history", dir)
		case err != nil:
			e.add("error", "sources", commandLine("ls", "-ld", dir), "%v", err)
		case len(entries) == 0:
			e.add("warn", "sources", "recall doctor --source DIR", "%s is empty", dir)
		default:
			e.add("ok", "sources", "", "%s is readable", dir)
		}
	}
	e.data(e.lib.opts.Dir)
}

func (e *examination) data(dir string) {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.add("warn", "data", "recall sync", "%s does not exist yet", dir)
		return
	case err != nil:
		e.add("error", "data", commandLine("ls", "-ld", filepath.Dir(dir)), "%v", err)
		return
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		cure, why := cureOf(err, dir)
		e.add("error", "data", cmp.Or(cure, commandLine("ls", "-ld", dir)), "%s cannot be written%s: %v", dir, why, reason(err))
		return
	}
	f.Close()
	os.Remove(f.Name())
	if open := othersCanRead(dir); runtime.GOOS != "windows" && open != "" {
		e.add("error", "data", commandLine("chmod", "-R", "go-rwx", dir), "others can read %s", open)
		return
	}
	e.add("ok", "data", "", "%s can be written, and only you can read it (mode %04o)", dir, st.Mode().Perm())
}

// othersCanRead returns the first file below dir that group or others may use.
func othersCanRead(dir string) (open string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // told by other checks
		}
		if st, err := d.Info(); err == nil && st.Mode().Perm()&0o077 != 0 && d.Type()&fs.ModeSymlink == 0 {
			open = path
			return fs.SkipAll
		}
		return nil
	})
	return open
}

// unopened explains an index that does not open.
func (e *examination) unopened(err error) {
	var locked *index.LockedError
	var h hint
	dir := e.lib.opts.Dir
	cure, why := cureOf(err, dir)
	switch {
	case errors.As(err, &locked):
		e.add("error", "index", "recall doctor", "%v; wait until it is done", locked)
	case cure != "":
		e.add("error", "index", cure, "does not open%s: %v; nothing is lost", why, err)
	case errors.Is(err, index.ErrFormat):
		e.add("error", "index", "recall version", "%v: use that one", err)
	case errors.As(err, &h) && h.cmd != "recall doctor":
		e.add("error", "index", h.cmd, "%v", err)
	default:
		// The archive may be the only copy: only what is made from it may go.
		words := []string{"rm", "-rf"}
		for _, name := range derived {
			words = append(words, filepath.Join(dir, name))
		}
		e.add("error", "index", commandLine(words...)+" && recall sync", "does not open: %v; what is derived from the archive can be made anew", err)
	}
}

// derived are the files of the data folder that are made anew from the archive.
var derived = []string{"bleve", "catalog.log", "nodes.log", "forward.dat"}

// cureOf is the command for an error of the file system itself, "" for others,
// and what the error means.
func cureOf(err error, dir string) (cure, why string) {
	dir = existing(dir)
	switch {
	case errors.Is(err, syscall.EROFS):
		return commandLine("df", dir), ", its disk is read-only: mount it writable, or keep the index elsewhere by --home"
	case errors.Is(err, syscall.ENOSPC):
		return commandLine("df", "-h", dir), ", its disk is full: make room"
	case errors.Is(err, fs.ErrPermission):
		return commandLine("chmod", "-R", "u+rwX", dir), ", you may not write it"
	}
	return "", ""
}

// existing is the nearest folder that is there, at or above dir.
func existing(dir string) string {
	for !isFolder(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// reason is an error without the path and the call.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// surroundings checks what is around recall: other programs, other settings.
func (e *examination) surroundings() {
	e.otherBinary()
	e.environment()
	e.retention()
}

// otherBinary looks for a program of the same name that a shell would start
// instead of this one.
func (e *examination) otherBinary() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	mine, err := os.Stat(self)
	if err != nil {
		return
	}
	name := "recall"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(e.getenv("PATH")) {
		path := filepath.Join(dir, name)
		st, err := os.Stat(path)
		if err != nil || st.IsDir() || runtime.GOOS != "windows" && st.Mode()&0o111 == 0 {
			continue
		}
		if os.SameFile(st, mine) {
			e.add("ok", "path", "", "recall on PATH is this program, %s", path)
		} else {
			e.add("warn", "path", commandLine(self, "doctor"), "recall on PATH is another program, %s, not this one, %s", path, self)
		}
		return
	}
	e.add("warn", "path", commandLine("export", "PATH="+filepath.Dir(self)+string(os.PathListSeparator))+`"$PATH"`, "recall is not on PATH")
}

// environment looks for RECALL_ variables that nobody reads.
func (e *examination) environment() {
	known := []string{"RECALL_CONFIG"}
	for _, k := range keys {
		known = append(known, k.env)
	}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "RECALL_") || contains(known, name) {
			continue
		}
		if n := nearest(name, known); n != "" {
			e.add("warn", "settings", "unset "+name, "%s is not read; did you mean %s?", name, n)
		}
	}
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// fewDays is a retention that an index must keep up with.
const fewDays = 7

// retention tells when the client deletes transcripts.
func (e *examination) retention() {
	file := filepath.Join(e.place.client(), "settings.json")
	b, err := os.ReadFile(file)
	if err != nil {
		return
	}
	var s struct {
		Days *int `json:"cleanupPeriodDays"`
	}
	switch err := json.Unmarshal(b, &s); {
	case err != nil:
		e.add("warn", "retention", commandLine("cat", file), "%s is not valid: %v", file, err)
	case s.Days == nil:
		e.add("ok", "retention", "", "the client deletes transcripts after its default of 30 days; what was read stays here")
	case *s.Days < fewDays:
		e.add("warn", "retention", "recall sync", "the client deletes transcripts after %s: sync at least as often", counted(*s.Days, "day"))
	default:
		e.add("ok", "retention", "", "the client deletes transcripts after %s; what was read stays here", counted(*s.Days, "day"))
	}
}

// client compares the newest client seen with the newest one tested.
func (e *examination) client(sessions []index.Session) {
	newest := ""
	for _, s := range sessions {
		if newer(s.Version, newest) {
			newest = s.Version
		}
	}
	switch {
	case newest == "":
	case newer(newest, testedClient):
		e.add("warn", "client", "recall version", "Claude Code %s is newer than the newest one tested, %s: look for unknown records below", newest, testedClient)
	default:
		e.add("ok", "client", "", "Claude Code up to %s was seen; tested up to %s", newest, testedClient)
	}
}

// newer compares versions of numbers and dots.
func newer(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if m, n := versionPart(x, i), versionPart(y, i); m != n {
			return m > n
		}
	}
	return false
}

func versionPart(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	digits := strings.TrimRight(parts[i], "abcdefghijklmnopqrstuvwxyz-+")
	n, _ := strconv.Atoi(digits)
	return n
}
