package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"
)

// userLine is a record like those of a small transcript.
func userLine(uuid, text string) string {
	return fmt.Sprintf(`{"parentUuid":null,"type":"user","message":{"role":"user","content":%s},"uuid":%q,"sessionId":"s"}`, quoteRaw(text), uuid)
}

// outline tells in a few words what a record became.
func outline(r *Record) string {
	s := r.Type
	switch {
	case r.Class == Broken && r.Torn:
		s = "torn end"
	case r.Class == Broken:
		s = "broken: " + r.Why
	case r.Class == Noise:
		s += " noise: " + r.Why
	case r.Class == Unknown:
		s += " unknown"
	}
	for _, part := range r.Parts {
		s += fmt.Sprintf(" [%s %s]", part.Kind, part.Text)
	}
	return strings.TrimSpace(s)
}

func outlines(t *testing.T, r *Reader) (out []string) {
	t.Helper()
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%d %s", rec.Line, outline(rec)))
	}
}

func TestReadDamaged(t *testing.T) {
	a, b := userLine("a", "one"), userLine("b", "two")
	one, two := "user [text one]", "user [text two]"
	tests := map[string]struct {
		in   string
		want []string
	}{
		"no final newline":                     {a + "\n" + b, []string{"1 " + one, "2 " + two}},
		"two records on one line":              {a + b + "\n", []string{"1 " + one, "1 " + two}},
		"two records on one line, with blanks": {a + " \t" + b + "\n" + a, []string{"1 " + one, "1 " + two, "2 " + one}},
		"cut in a string, in the middle":       {a[:60] + "\n" + b + "\n", []string{"1 broken: torn", "2 " + two}},
		"torn record glued to the next":        {a[:60] + b + "\n", []string{"1 broken: torn", "1 " + two}},
		"torn inside a key":                    {`{"parentU` + b + "\n", []string{"1 broken: torn", "1 " + two}},
		"torn behind a nested object": {
			`{"type":"assistant","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","na` + b + "\n" + a + "\n",
			[]string{"1 broken: torn", "1 " + two, "2 " + one},
		},
		"torn, next begins with type": {a[:60] + `{"type":"mode","mode":"x","sessionId":"s"}` + "\n", []string{"1 broken: torn", "1 mode noise: bookkeeping"}},
		"two torn, then whole":        {a[:60] + a[:30] + b + "\n", []string{"1 broken: torn", "1 " + two}},
		"whole, then torn":            {b + a[:60] + "\n" + a, []string{"1 " + two, "1 broken: torn", "2 " + one}},
		"torn last line":              {a + "\n" + b[:60], []string{"1 " + one, "2 torn end"}},
		"torn behind a record":        {a + b[:60], []string{"1 " + one, "1 torn end"}},
		"empty lines":                 {"\n" + a + "\n\n" + b + "\n", []string{"1 noise: empty line", "2 " + one, "3 noise: empty line", "4 " + two}},
		"carriage returns":            {a + "\r\n" + b + "\r\n", []string{"1 " + one, "2 " + two}},
		"byte order mark":             {"\ufeff" + a + "\n", []string{"1 " + one}},
		"zero bytes between":          {a + "\n" + strings.Repeat("\x00", 5000) + "\n" + b + "\n", []string{"1 " + one, "2 broken: zero bytes", "3 " + two}},
		"zero bytes before a record":  {a + "\n" + strings.Repeat("\x00", 5000) + b + "\n", []string{"1 " + one, "2 " + two}},
		"zero bytes in a torn record": {a[:90] + strings.Repeat("\x00", 5000) + b + "\n", []string{"1 broken: torn", "1 " + two}},
		"line separator in a string":  {userLine("a", "x") + "\n" + `{"type":"user","message":{"content":"l` + "\u2028" + `r"},"uuid":"u"}` + "\n", []string{"1 user [text x]", "2 user [text l\u2028r]"}},
		"a list":                      {"[1,2]\n" + a + "\n", []string{"1 broken: other shape", "2 " + one}},
		"a number":                    {"42\n" + a + "\n", []string{"1 broken: other shape", "2 " + one}},
		"a string":                    {"\"x\"\n" + a + "\n", []string{"1 broken: other shape", "2 " + one}},
		"list and record on a line":   {"[1]" + a + "\n", []string{"1 broken: other shape", "1 " + one}},
		"no JSON":                     {"panic: boom\n" + a + "\n", []string{"1 broken: not json", "2 " + one}},
		"no JSON before a record":     {"panic: boom" + a + "\n", []string{"1 broken: not json", "1 " + one}},
		"no JSON at the end":          {a + "\nboo", []string{"1 " + one, "2 torn end"}},
		"bad UTF-8":                   {strings.Replace(a, "one", "o\xffe", 1) + "\n", []string{"1 user [text o\ufffde]"}},
		"lone surrogate":              {strings.Replace(a, "one", `o\ud83de`, 1) + "\n", []string{"1 user [text o\ufffde]"}},
		"deep nesting":                {`{"type":"user","x":` + strings.Repeat("[", 20000) + "\n" + a + "\n", []string{"1 broken: too deep", "2 " + one}},
		"deep nesting, closed":        {`{"type":"user","x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}\n" + a + "\n", []string{"1 broken: too deep", "2 " + one}},
		"empty object":                {"{}\n" + a + "\n", []string{"1 unknown", "2 " + one}},
		"trailing comma":              {`{"type":"user",}` + "\n" + a + "\n", []string{"1 broken: torn", "2 " + one}},
		"blanks only":                 {"  \t \n" + a + "\n", []string{"1 noise: empty line", "2 " + one}},
		"nothing":                     {"", nil},
		"summary of another session as the last line": {a + "\n" + b + "\n" + `{"type":"summary","summary":"T","leafUuid":"b"}` + "\n", []string{"1 " + one, "2 " + two, "3 summary"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := outlines(t, NewReader(strings.NewReader(test.in), State{}))
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			slow := outlines(t, NewReader(iotest.OneByteReader(strings.NewReader(test.in)), State{}))
			if diff := gocmp.Diff(got, slow); diff != "" {
				t.Errorf("read by single bytes:\n%s", diff)
			}
		})
	}
}

func TestReadLongLines(t *testing.T) {
	image := `{"type":"user","message":{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"` +
		strings.Repeat("iVBORw0KGgo", 300_000) + `"}},{"type":"text","text":"what is this"}]},"uuid":"i"}`
	word := userLine("w", "unmistakable")
	in := image + "\n" + strings.Repeat(userLine("x", strings.Repeat("filler ", 10_000))+"\n", 300) + word + "\n"
	if len(in) < 20<<20 {
		t.Fatalf("only %d bytes", len(in))
	}
	got := outlines(t, NewReader(strings.NewReader(in), State{}))
	if len(got) != 302 || got[0] != "1 user [text what is this]" || got[301] != "302 user [text unmistakable]" {
		t.Errorf("%d records, first %.80q, last %.80q", len(got), got[0], got[len(got)-1])
	}
}

// repeat is a reader of n copies of one byte.
type repeat struct {
	c byte
	n int
}

func (r *repeat) Read(b []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	n := min(len(b), r.n)
	for i := range b[:n] {
		b[i] = r.c
	}
	r.n -= n
	return n, nil
}

func TestReadTooLongLine(t *testing.T) {
	const size = 120 << 20
	a, b := userLine("a", "one"), userLine("b", "two")
	src := func(tail string) io.Reader {
		return io.MultiReader(strings.NewReader(a+"\n"), &repeat{'x', size}, strings.NewReader(tail))
	}
	r := NewReader(src("\n"+b+"\n"), State{})
	r.max = 1 << 20
	var biggest int
	var got []string
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, outline(rec))
		biggest = max(biggest, cap(r.buf))
	}
	if diff := gocmp.Diff([]string{"user [text one]", "broken: too long", "user [text two]"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if biggest > 4<<20 {
		t.Errorf("buffer of %d bytes", biggest)
	}
	if s := r.State(); s.Off != int64(len(a)+1+size+1+len(b)+1) || s.Line != 4 {
		t.Errorf("state %+v", s)
	}

	r = NewReader(src(""), State{})
	r.max = 1 << 20
	outlines(t, r)
	if s := r.State(); s.Off != int64(len(a)+1) || s.Line != 2 {
		t.Errorf("a long line without end may still grow: state %+v", s)
	}
}

func TestReadGivesBackTheBuffer(t *testing.T) {
	in := userLine("a", strings.Repeat("x", 10<<20)) + "\n" + userLine("b", "two") + "\n"
	r := NewReader(strings.NewReader(in), State{})
	outlines(t, r)
	if cap(r.buf) > keptBuffer {
		t.Errorf("buffer of %d bytes is kept", cap(r.buf))
	}
}

func TestReadError(t *testing.T) {
	boom := errors.New("boom")
	r := NewReader(io.MultiReader(strings.NewReader(userLine("a", "one")+"\n"+userLine("b", "tw")[:50]), iotest.ErrReader(boom)), State{})
	if rec, err := r.Next(); err != nil || rec.UUID != "a" {
		t.Fatalf("%+v, %v", rec, err)
	}
	if _, err := r.Next(); err != boom {
		t.Errorf("error %v", err)
	}
	if s := r.State(); s.Line != 2 {
		t.Errorf("state %+v", s)
	}
}

func TestReadSequence(t *testing.T) {
	in := userLine("a", "one") + "\n" + userLine("b", "two") + "\n" + userLine("c", "three") + "\n"
	var got string
	for rec, err := range Read(strings.NewReader(in), State{}) {
		if err != nil {
			t.Fatal(err)
		}
		if got += rec.UUID; rec.UUID == "b" {
			break
		}
	}
	if got != "ab" {
		t.Errorf("read %q", got)
	}
	boom := errors.New("boom")
	for _, err := range Read(iotest.ErrReader(boom), State{}) {
		if err != boom {
			t.Errorf("error %v", err)
		}
	}
}

func recordedFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/client-runs/*/projects/*/*.jsonl")
	more, _ := filepath.Glob("testdata/client-runs/*/projects/*/*/subagents/*.jsonl")
	files = append(files, more...)
	if err != nil || len(files) < 80 {
		t.Fatalf("%d recorded files, %v", len(files), err)
	}
	return files
}

// TestOffsets checks that records lie where they say.
func TestOffsets(t *testing.T) {
	for _, name := range recordedFiles(t) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := NewReader(bytes.NewReader(data), State{})
		at, line := int64(0), 1
		for {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if rec.Off != at || rec.Line != line {
				t.Fatalf("%s: record at %d, line %d; the one before ends at %d, line %d", name, rec.Off, rec.Line, at, line)
			}
			made := rec.Type == "queue-operation/prompt"
			if !made && !bytes.HasPrefix(data[rec.Off:], rec.Raw) {
				t.Fatalf("%s:%d: raw is not what stands there", name, rec.Line)
			}
			at = rec.End
			line += bytes.Count(data[rec.Off:rec.End], []byte("\n"))
		}
		if at != int64(len(data)) {
			t.Errorf("%s: read up to %d of %d", name, at, len(data))
		}
	}
}

// copyOf returns what is left of a record when the reader goes on. Its end is
// left out: the newline may have come later.
func copyOf(rec *Record) Record {
	c := *rec
	c.Raw, c.End = nil, 0
	return c
}

func readFrom(t *testing.T, data []byte, from State) (out []Record, end State) {
	t.Helper()
	r := NewReader(bytes.NewReader(data[from.Off:]), from)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return out, r.State()
		}
		if err != nil {
			t.Fatal(err)
		}
		if !rec.Torn {
			out = append(out, copyOf(rec))
		}
	}
}

// TestResume reads a growing file in two goes, cut anywhere.
func TestResume(t *testing.T) {
	for _, pattern := range []string{"2.1.85-*/projects/*/4bcf*", "2.1.332-forged-variants/projects/*/d2de*", "2.1.332-mcp-clear-resume/projects/*/f3da*"} {
		names, _ := filepath.Glob("testdata/client-runs/" + pattern)
		if len(names) != 1 {
			t.Fatalf("%s: %v", pattern, names)
		}
		data, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		want, wantEnd := readFrom(t, data, State{})
		for cut := 0; cut < len(data); cut += 61 {
			first, middle := readFrom(t, data[:cut], State{})
			second, end := readFrom(t, data, middle)
			if got := append(first, second...); !reflect.DeepEqual(want, got) {
				t.Fatalf("%s cut at %d:\n%s", names[0], cut, gocmp.Diff(want, got))
			}
			if !reflect.DeepEqual(wantEnd, end) {
				t.Fatalf("%s cut at %d, state:\n%s", names[0], cut, gocmp.Diff(wantEnd, end))
			}
		}
	}
}

// TestReplay parses stored records again.
func TestReplay(t *testing.T) {
	for _, name := range recordedFiles(t) {
		p := NewParser(Memory{})
		for _, rec := range readAll(t, name) {
			if rec.Class == Broken {
				continue
			}
			got := p.Parse(rec.Raw)
			if rec.Type == "queue-operation/prompt" {
				got.Raw = rec.Raw
			}
			got.Off, got.End, got.Line = rec.Off, rec.End, rec.Line
			if !reflect.DeepEqual(rec, got) {
				t.Fatalf("%s:%d:\n%s", name, rec.Line, gocmp.Diff(rec, got))
			}
		}
	}
}

func TestParseBroken(t *testing.T) {
	for _, in := range []string{"", "[]", "{", `{"a":1} x`, "null"} {
		if rec := NewParser(Memory{}).Parse([]byte(in)); rec.Class != Broken {
			t.Errorf("%q: class %d", in, rec.Class)
		}
	}
}
