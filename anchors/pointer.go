package anchors

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ErrNotPointer is returned by Parse for text that holds no pointer.
var ErrNotPointer = errors.New("not a pointer")

// Pointer names a place in past conversations. Which fields are set decides
// what it names; ids may be beginnings of ids. Pointers can be compared.
type Pointer struct {
	Session string // with the fields below: within that conversation
	Agent   string // sub-agent of Session

	Message string // message uuid, the first one of a range when To is set
	To      string // last message of a range
	Dropped int    // 1-based number of a compaction

	ID   string // an id alone: of a session or of a message
	Tool string // toolu_… id of a call
	Path string // transcript file

	// Lines FromLine to ToLine of the transcript of Session or at Path.
	// FromLine 0 means all, ToLine 0 to the end.
	FromLine, ToLine int
}

// String returns the printed form, which Parse turns into p again.
func (p Pointer) String() string {
	switch {
	case p.ID != "":
		return p.ID
	case p.Tool != "":
		return p.Tool
	case p.Path != "":
		return p.Path + p.lines()
	}
	s := "recall:" + escape(p.Session)
	if p.Agent != "" {
		s += "/" + escape(p.Agent)
	}
	switch {
	case p.Dropped > 0:
		s += "#dropped-" + strconv.Itoa(p.Dropped)
	case p.To != "":
		s += "#" + escapeMessage(p.Message) + ".." + escapeMessage(p.To)
	case p.Message != "":
		s += "#" + escapeMessage(p.Message)
	}
	return s + p.lines()
}

func (p Pointer) lines() string {
	switch {
	case p.FromLine <= 0:
		return ""
	case p.ToLine == p.FromLine:
		return fmt.Sprintf(":%d", p.FromLine)
	case p.ToLine <= 0:
		return fmt.Sprintf(":%d-", p.FromLine)
	}
	return fmt.Sprintf(":%d-%d", p.FromLine, p.ToLine)
}

// Pointer returns the pointer to a place, with full ids.
func (p Place) Pointer() Pointer {
	return Pointer{Session: p.Session, Agent: p.Agent, Message: p.UUID}
}

// Short returns the beginning of an id that is to be printed: its first 8
// characters, more where isUnique denies that these name one thing. The result
// does not end in a dash. isUnique may be nil.
func Short(full string, isUnique func(prefix string) bool) string {
	for n := 8; n < len(full); n++ {
		prefix := full[:n]
		if full[n-1] != '-' && (isUnique == nil || isUnique(prefix)) {
			return prefix
		}
	}
	return full
}

func escape(id string) string {
	var b strings.Builder
	for i := 0; i < len(id); i++ {
		c := id[i]
		if c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// escapeMessage keeps an id that looks like "dropped-2" apart from the form.
func escapeMessage(id string) string {
	if droppedForm.MatchString(id) {
		return "%" + strings.ToUpper(strconv.FormatInt(int64(id[0]), 16)) + id[1:]
	}
	return escape(id)
}

func unescape(s string) (string, bool) {
	if !strings.Contains(s, "%") {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		x, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(x))
		i += 2
	}
	return b.String(), true
}

var (
	droppedForm = regexp.MustCompile(`^(?i:dropped)-(\d{1,9})$`)
	fullUUID    = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	toolID      = regexp.MustCompile(`^toolu_[A-Za-z0-9_-]+$`)
	lineSuffix  = regexp.MustCompile(`(?::L?|#L)(\d{1,9})(?:(-)(?:L?(\d{1,9}))?)?$`)
	component   = `[A-Za-z0-9_%.-]+`
	recallForm  = regexp.MustCompile(`^(?i:recall:)(` + component + `)(?:/(` + component + `))?` +
		`(?:#(` + component + `)|:(\d{1,9})(?:(-)(\d{1,9})?)?)?$`)
	resourceForm = regexp.MustCompile(`^(?i:recall)://(?:session/(` + component + `)|message/(` + component + `)/(` + component + `))$`)
)

// isBareID tells whether s is a UUID or at least the first 4 characters of one.
func isBareID(s string) bool {
	if len(s) < 4 || len(s) > 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		isDash := i == 8 || i == 13 || i == 18 || i == 23
		if isDash && s[i] != '-' || !isDash && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Parse reads a pointer in any of the forms that the package comment lists. Of
// a text that holds several it takes the one in a summary's sentence, else the
// first. The error is ErrNotPointer.
func Parse(s string) (Pointer, error) {
	s = strings.TrimSpace(s)
	if p, ok := parseExact(s); ok {
		return p, nil
	}
	if p, ok := parseExact(strings.Trim(s, "\"'`<>()[]{}*., \t")); ok {
		return p, nil
	}
	if hasScheme(s) && !strings.ContainsAny(s, " \t\r\n") {
		return Pointer{}, ErrNotPointer // mistyped: the part of it that can be read means something else
	}
	if path, ok := summaryPath(s); ok {
		return path, nil
	}
	if all := InText(s); len(all) > 0 {
		return all[0], nil
	}
	return Pointer{}, ErrNotPointer
}

func hasScheme(s string) bool {
	return len(s) >= len("recall:") && strings.EqualFold(s[:len("recall:")], "recall:")
}

// parseExact reads a pointer that is all of s.
func parseExact(s string) (Pointer, bool) {
	if len(s) > 4096 || strings.ContainsAny(s, "\r\n") {
		return Pointer{}, false
	}
	if p, ok := parseRecall(s); ok {
		return p, true
	}
	if p, ok := parsePath(s); ok {
		return p, true
	}
	switch {
	case toolID.MatchString(s):
		return Pointer{Tool: s}, true
	case isBareID(s):
		return Pointer{ID: strings.ToLower(s)}, true
	}
	if session, _, ok := strings.Cut(s, "#"); ok && isBareID(session) {
		return parseRecall("recall:" + s)
	}
	return Pointer{}, false
}

func parseRecall(s string) (Pointer, bool) {
	if m := resourceForm.FindStringSubmatch(s); m != nil {
		if m[1] != "" {
			s = "recall:" + m[1]
		} else {
			s = "recall:" + m[2] + "#" + m[3]
		}
	}
	m := recallForm.FindStringSubmatch(s)
	if m == nil {
		return Pointer{}, false
	}
	session, ok1 := parseID(m[1])
	agent, ok2 := unescape(m[2])
	p := Pointer{Session: session, Agent: agent}
	if m[4] != "" {
		p.setLines(m[4], m[5], m[6])
		return p, ok1 && ok2
	}
	return p, ok1 && ok2 && p.setMessage(m[3])
}

// parseID unescapes an id. Hexadecimal ones are compared without regard to
// case, so they have one spelling here.
func parseID(s string) (string, bool) {
	id, ok := unescape(s)
	if isBareID(id) {
		id = strings.ToLower(id)
	}
	return id, ok && id != ""
}

// setMessage reads what stands behind "#".
func (p *Pointer) setMessage(s string) bool {
	if s == "" {
		return true
	}
	if m := droppedForm.FindStringSubmatch(s); m != nil {
		p.Dropped, _ = strconv.Atoi(m[1]) // unreachable: at most 9 digits
		return p.Dropped > 0
	}
	from, to, isRange := strings.Cut(s, "..")
	var ok bool
	if p.Message, ok = parseID(from); !ok || !isRange {
		return ok
	}
	p.To, ok = parseID(to)
	return ok
}

// setLines sets a line range from its digits. dash is set for a range, which
// without a last line goes to the end.
func (p *Pointer) setLines(first, dash, last string) {
	p.FromLine, _ = strconv.Atoi(first) // unreachable: at most 9 digits
	p.FromLine = max(p.FromLine, 1)
	if dash == "" {
		p.ToLine = p.FromLine
		return
	}
	p.ToLine, _ = strconv.Atoi(last)
	if last != "" && p.ToLine < p.FromLine {
		p.FromLine, p.ToLine = max(p.ToLine, 1), p.FromLine
	}
}

const extension = ".jsonl"

func parsePath(s string) (Pointer, bool) {
	for strings.HasPrefix(s, "file://") {
		s = s[len("file://"):]
	}
	var p Pointer
	if m := lineSuffix.FindStringSubmatchIndex(s); m != nil && strings.HasSuffix(s[:m[0]], extension) {
		p.setLines(s[m[2]:m[3]], group(s, m, 2), group(s, m, 3))
		s = s[:m[0]]
	}
	if !strings.HasSuffix(s, extension) || strings.TrimSpace(s) != s || baseName(s) == "" || holdsSentence(s) {
		return Pointer{}, false
	}
	p.Path = s
	return p, true
}

func group(s string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return s[m[2*n]:m[2*n+1]]
}

// baseName returns the file name of a transcript's path, of either separator,
// without its extension.
func baseName(path string) string {
	path = path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(path, extension)
}
