package transcript

import (
	"bytes"
	"io"
	"iter"
)

// MaxRecord is the longest line that is read. A longer one is skipped without
// keeping it in memory, and counted as Broken with the reason "too long".
const MaxRecord = 64 << 20

const (
	firstBuffer = 64 << 10
	keptBuffer  = 4 << 20 // a larger buffer is given back after the line that needed it
)

// State is where reading stands, to go on later from there. The zero State is
// the beginning of a file. It is small (it holds calls that still wait for
// their result, not answered ones) and may be stored as JSON.
type State struct {
	Off  int64 `json:"off"`            // offset of the next unread byte
	Line int   `json:"line,omitempty"` // number of the line that Off is on; 0 means 1
	Mid  bool  `json:"mid,omitempty"`  // a record of that line has been read already
	Memory
}

// Reader reads the records of one transcript, in file order.
type Reader struct {
	p       *Parser
	src     io.Reader
	max     int
	buf     []byte
	lo, hi  int // buf[lo:hi] is read from src but not returned yet
	lineEnd int // end of the current line in buf, without its newline; -1: none
	newline int // 1 if the current line has a newline, 0 at the end of the file
	at      State
	srcErr  error
	done    bool
}

// NewReader returns a reader of src, whose first byte is the one at from.Off of
// the transcript.
func NewReader(src io.Reader, from State) *Reader {
	if from.Line == 0 {
		from.Line = 1
	}
	return &Reader{p: NewParser(from.Memory), src: src, max: MaxRecord, at: from, lineEnd: -1}
}

// Read is Reader.Next as a sequence. It ends after the first error.
func Read(src io.Reader, from State) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		r := NewReader(src, from)
		for {
			rec, err := r.Next()
			if err == io.EOF {
				return
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// State returns where reading stands: just after the record last returned, or
// before it when that record is torn.
func (r *Reader) State() State {
	s := r.at
	s.Memory = r.p.Memory()
	return s
}

// Next returns the next record, or io.EOF, or the error of the underlying
// reader. The record is the caller's to keep, except for Raw.
func (r *Reader) Next() (*Record, error) {
	for !r.done {
		if r.lineEnd < 0 {
			tooLong, err := r.readLine()
			if err != nil {
				return nil, err
			}
			if tooLong {
				return r.skipLong()
			}
			if r.lineEnd < 0 {
				break
			}
		}
		if rec := r.nextInLine(); rec != nil {
			return rec, nil
		}
	}
	r.done = true
	return nil, io.EOF
}

// readLine finds the end of the line that starts at lo, reading on as needed.
func (r *Reader) readLine() (tooLong bool, err error) {
	r.compact()
	seen := r.lo
	for {
		if n := bytes.IndexByte(r.buf[seen:r.hi], '\n'); n >= 0 {
			r.lineEnd, r.newline = seen+n, 1
			return false, nil
		}
		seen = r.hi
		if r.hi-r.lo > r.max {
			return true, nil
		}
		if r.srcErr == io.EOF {
			if r.hi > r.lo {
				r.lineEnd, r.newline = r.hi, 0
			}
			return false, nil
		}
		if r.srcErr != nil {
			return false, r.srcErr
		}
		r.fill()
	}
}

// compact moves the unread bytes to the front and gives back a large buffer.
func (r *Reader) compact() {
	rest := r.buf[r.lo:r.hi]
	switch {
	case cap(r.buf) > keptBuffer && len(rest) < firstBuffer:
		r.buf = append(make([]byte, 0, 2*firstBuffer), rest...)
	case r.lo > cap(r.buf)/2:
		copy(r.buf, rest)
	default:
		return
	}
	r.lo, r.hi = 0, len(rest)
	r.buf = r.buf[:r.hi]
}

func (r *Reader) fill() {
	if cap(r.buf)-r.hi < firstBuffer/2 {
		grown := make([]byte, r.hi, max(firstBuffer, 2*cap(r.buf)))
		copy(grown, r.buf[:r.hi])
		r.buf = grown
	}
	n, err := r.src.Read(r.buf[r.hi:cap(r.buf)])
	r.hi += n
	r.buf = r.buf[:r.hi]
	r.srcErr = err
}

// skipLong passes over a line above the limit.
func (r *Reader) skipLong() (*Record, error) {
	rec := &Record{Off: r.at.Off, Line: r.at.Line, Class: Broken, Why: "too long"}
	length := int64(0)
	for {
		n := bytes.IndexByte(r.buf[r.lo:r.hi], '\n')
		if n >= 0 {
			r.lo += n + 1
			rec.End = rec.Off + length + int64(n) + 1
			r.at.Off, r.at.Mid = rec.End, false
			r.at.Line++
			return rec, nil
		}
		length += int64(r.hi - r.lo)
		r.lo, r.hi, r.buf = 0, 0, r.buf[:0]
		if r.srcErr == io.EOF {
			rec.End, rec.Torn, r.done = rec.Off+length, true, true
			return rec, nil
		}
		if r.srcErr != nil {
			return nil, r.srcErr
		}
		r.fill()
	}
}

// nextInLine returns the next record of the current line, nil when the line
// holds no more.
func (r *Reader) nextInLine() *Record {
	rest := r.buf[r.lo:r.lineEnd]
	start, nul := skipBlank(rest)
	if start == len(rest) {
		return r.blankLine(rest, nul)
	}
	end, rec := r.cut(rest, start)
	rec.Off, rec.Line = r.at.Off+int64(start), r.at.Line
	if rec.Torn {
		rec.End = r.at.Off + int64(len(rest))
		r.at.Off = rec.Off
		r.done = true
		return rec
	}
	if tail, _ := skipBlank(rest[end:]); end+tail == len(rest) {
		r.endLine()
		rec.End = r.at.Off
		return rec
	}
	r.advance(end)
	rec.End = r.at.Off
	r.at.Mid = true
	return rec
}

// blankLine passes over what is left of a line without a record.
func (r *Reader) blankLine(rest []byte, nul bool) *Record {
	rec := &Record{Off: r.at.Off, Line: r.at.Line, Class: Noise, Why: "empty line", Raw: rest}
	if nul {
		rec.Class, rec.Why = Broken, "zero bytes"
	}
	mid := r.at.Mid
	r.endLine()
	rec.End = r.at.Off
	if mid {
		return nil
	}
	return rec
}

func (r *Reader) advance(n int) {
	r.lo += n
	r.at.Off += int64(n)
}

func (r *Reader) endLine() {
	r.advance(r.lineEnd - r.lo + r.newline)
	r.at.Mid = r.newline == 0
	r.at.Line += r.newline
	r.lineEnd = -1
}

// cut makes a record of what starts at b[start] and returns where it ends.
func (r *Reader) cut(b []byte, start int) (end int, rec *Record) {
	why := "not json"
	open := false // the text ends where more could follow
	if b[start] == '{' {
		rec, n := r.p.parseObject(b[start:])
		if n >= 0 {
			return start + n, rec
		}
		why, open = "torn", n == cutOff
		if n == tooDeep {
			why = "too deep"
		}
	} else if n := skipValue(b, start); n >= 0 {
		if next, _ := skipBlank(b[n:]); n+next == len(b) || b[n+next] == '{' {
			return n, &Record{Class: Broken, Why: "other shape", Raw: b[start:n]}
		}
	}
	if n, ok := resync(b, start+1); ok {
		return n, &Record{Class: Broken, Why: why, Raw: b[start:n]}
	}
	torn := r.newline == 0 && (open || why == "not json")
	return len(b), &Record{Class: Broken, Why: why, Raw: b[start:], Torn: torn}
}

// skipBlank skips blanks, zero bytes and byte order marks.
func skipBlank(b []byte) (n int, nul bool) {
	for n < len(b) {
		switch {
		case b[n] == 0:
			nul = true
		case b[n] == ' ' || b[n] == '\t' || b[n] == '\r':
		case bytes.HasPrefix(b[n:], []byte("\ufeff")):
			n += 2
		default:
			return n, nul
		}
		n++
	}
	return n, nul
}

// firstKeys are the keys that records begin with.
var firstKeys = []string{
	"parentUuid", "type", "logicalParentUuid", "isSidechain", "uuid",
	"sessionId", "message", "messageId", "timestamp", "attachment", "cwd",
}

// resync looks in b[from:] for the start of a whole record that was written
// behind a torn one.
func resync(b []byte, from int) (at int, ok bool) {
	budget := 8*len(b) + 1<<16 // text that may be looked at: each try may scan to the end
	for at = from; budget > 0; at++ {
		n := bytes.Index(b[at:], []byte(`{"`))
		if n < 0 {
			return 0, false
		}
		at += n
		if !startsRecord(b[at+2:]) {
			continue
		}
		good, scanned := looksWhole(b[at:])
		if good {
			return at, true
		}
		budget -= scanned
	}
	return 0, false
}

func startsRecord(b []byte) bool {
	for _, k := range firstKeys {
		if len(b) > len(k) && string(b[:len(k)]) == k && b[len(k)] == '"' {
			return true
		}
	}
	return false
}

// looksWhole tells whether b begins with a whole record, not with some object
// that was nested in the torn one. scanned is how much of b was looked at.
func looksWhole(b []byte) (ok bool, scanned int) {
	var typ string
	var session, uuid bool
	read := 0
	n := members(b, func(k, v []byte) {
		read += len(k) + len(v)
		switch string(k) {
		case "type":
			typ = unquote(v)
		case "sessionId":
			session = true
		case "uuid":
			uuid = true
		}
	})
	if n < 0 {
		return false, len(b)
	}
	return typ != "" && (session || uuid || plainTypes[typ].class != Unknown), read
}
