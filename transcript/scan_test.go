package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestSkipValue(t *testing.T) {
	tests := map[string]struct {
		in   string
		want int
	}{
		"object":                {`{"a":[1,{"b":"c"}],"d":null} x`, 28},
		"empty object":          {`{ } x`, 3},
		"empty list":            {`[ ]`, 3},
		"string":                {`"a\"b\\" x`, 8},
		"backslashes":           {`"\\\\"x`, 6},
		"number":                {`-1.5e+3,`, 7},
		"literal":               {`true}`, 4},
		"leading blanks":        {"  1 ", 3},
		"nothing":               {"  ", cutOff},
		"cut in a string":       {`"abc`, cutOff},
		"cut at an escape":      {`"abc\`, cutOff},
		"cut in a literal":      {`tru`, cutOff},
		"cut in an object":      {`{"a":1`, cutOff},
		"cut behind a comma":    {`{"a":1,`, cutOff},
		"cut behind a key":      {`{"a"`, cutOff},
		"wrong literal":         {`trub}`, badJSON},
		"word":                  {`hello`, badJSON},
		"wrong bracket":         {`{"a":[1}`, badJSON},
		"two values":            {`[1 2]`, badJSON},
		"comma at the end":      {`[1,]`, badJSON},
		"comma at the start":    {`[,1]`, badJSON},
		"key without quotes":    {`{a:1}`, badJSON},
		"key without colon":     {`{"a" 1}`, badJSON},
		"comma behind the last": {`{"a":1,}`, badJSON},
		"string run together":   {`{"a":"b"c":1}`, badJSON},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := skipValue([]byte(test.in), 0); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

// checkAgreement compares the scanner with encoding/json on one valid object.
func checkAgreement(t *testing.T, data []byte) {
	t.Helper()
	want := map[string]json.RawMessage{}
	if json.Unmarshal(data, &want) != nil {
		return
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		return
	}
	got := map[string]json.RawMessage{}
	if n := members(data, func(k, v []byte) { got[string(k)] = json.RawMessage(v) }); n != len(data) {
		t.Fatalf("%q: scanned %d of %d", data, n, len(data))
	}
	if len(got) != len(want) {
		t.Fatalf("%q: members %v, want %v", data, got, want)
	}
	for k, v := range want {
		g, ok := got[k]
		if !ok || !bytes.Equal(g, v) {
			t.Fatalf("%q: %q is %q, want %q", data, k, g, v)
		}
		checkValue(t, v)
	}
}

func checkValue(t *testing.T, v json.RawMessage) {
	t.Helper()
	var s string
	if v[0] == '"' && json.Unmarshal(v, &s) == nil {
		if got := unquote(v); got != s {
			t.Fatalf("%q is unquoted as %q, want %q", v, got, s)
		}
	}
	var list []json.RawMessage
	if v[0] == '[' && json.Unmarshal(v, &list) == nil {
		i := 0
		elements(v, func(e []byte) {
			if i >= len(list) || !bytes.Equal(e, list[i]) {
				t.Fatalf("%q: element %d is %q", v, i, e)
			}
			i++
		})
		if i != len(list) {
			t.Fatalf("%q: %d elements of %d", v, i, len(list))
		}
	}
}

func TestScannerAgreesOnRecordings(t *testing.T) {
	for _, name := range recordedFiles(t) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			checkAgreement(t, line)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{
		`{"a":"x\u00e4\ud83d\ude00\ud83d\n","b\n":[1,"2",{}],"c":{"d":null},"a":2}`,
		`{ "a" : "\/\b\f\r\t\"\\" , "b":-1.5E+3,"":true,"x:":" ","é":[[],[[]]]}`,
		"{\"a\":\"\xff\",\"\xfe\":1}", `{"\u0061":1,"a\\":"\\"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(checkAgreement)
}

// FuzzRead checks what must hold whatever a file contains.
func FuzzRead(f *testing.F) {
	a, b := userLine("a", "one"), assistant(call("t1", "Bash", `{"command":"recall search x"}`)+`,{"type":"text","text":"hi"}`, "")
	for _, s := range []string{
		a + "\n" + b + "\n", a + b, a[:50] + b + "\n" + a[:30], "\ufeff" + a + "\r\n\x00\x00\n[1]\n" + b,
		record("system", `"subtype":"compact_boundary","compactMetadata":{"preservedMessages":{"uuids":["u"]}}`) + "\n" + record("user", `"isCompactSummary":true,"message":{"content":"x"}`),
		`{"type":"queue-operation","operation":"enqueue","content":"x"}` + "\n" + `{"type":"user","version":"2.1.85"}` + "\n" + `{"type":"queue-operation","operation":"remove"}`,
		attachment("queued_command", `,"prompt":[{"type":"text","text":"x"}]`), record("user", `"message":{"content":{"0":"h","1":"i"}}`),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, end := fuzzRead(t, data, State{})
		if end.Off > int64(len(data)) {
			t.Fatalf("read up to %d of %d", end.Off, len(data))
		}
		var nodes []Node
		for _, rec := range whole {
			if n, ok := rec.Node(); ok {
				nodes = append(nodes, n)
			}
		}
		Live(nodes)
		Compactions(nodes)
	})
}

func fuzzRead(t *testing.T, data []byte, from State) (recs []Record, end State) {
	r := NewReader(bytes.NewReader(data), from)
	last := int64(0)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return recs, r.State()
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Off < last || rec.End <= rec.Off || rec.End > int64(len(data)) || rec.Line < 1 {
			t.Fatalf("record at %d to %d, line %d; the one before ends at %d", rec.Off, rec.End, rec.Line, last)
		}
		last = rec.End
		for _, part := range rec.Parts {
			if !utf8.ValidString(part.Text) || strings.TrimSpace(part.Text) == "" {
				t.Fatalf("text %q", part.Text)
			}
		}
		if (rec.Class == Conversation) != (len(rec.Parts) > 0) {
			t.Fatalf("class %d with parts %+v", rec.Class, rec.Parts)
		}
		recs = append(recs, copyOf(rec))
	}
}

// FuzzParse compares parsing again from what a record was made of.
func FuzzParse(f *testing.F) {
	f.Add([]byte(user("hello")))
	f.Add([]byte(assistant(call("t1", "Edit", `{"file_path":"/x","edits":[{"a":"b"}]}`), "")))
	f.Add([]byte(userBlocks(result("t1", `[{"type":"text","text":"x"}]`), `,"toolUseResult":{"a":1}`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec := NewParser(Memory{}).Parse(data)
		again := NewParser(Memory{}).Parse(rec.Raw)
		if diff := gocmp.Diff(rec, again); diff != "" {
			t.Fatalf("%q parsed again:\n%s", data, diff)
		}
		if rec.Class != Broken && !bytes.Equal(rec.Raw, bytes.TrimSpace(data)) {
			t.Fatalf("raw %q of %q", rec.Raw, data)
		}
	})
}

func FuzzSummaryPointer(f *testing.F) {
	f.Add("x\n" + pointerTo + "/home/my dev/a.jsonl\n" + goOn)
	f.Fuzz(func(t *testing.T, text string) {
		path, ok := SummaryPointer(text)
		if ok && (!strings.HasSuffix(path, ".jsonl") || strings.ContainsAny(path, "\r\n") || !strings.Contains(text, path)) {
			t.Fatalf("%q: %q", text, path)
		}
		if body := SummaryBody(text); len(body) > len(text) {
			t.Fatalf("%q: body %q", text, body)
		}
	})
}
