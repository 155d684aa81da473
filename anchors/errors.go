package anchors

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotFound tells that nothing known has the name a pointer gives.
var ErrNotFound = errors.New("not found")

// Reasons of an UnknownError. Others name what is missing of a known session.
const (
	NeverIndexed = "never indexed"
	Forgotten    = "forgotten on request"
)

// UnknownError tells why a pointer leads nowhere. It is an ErrNotFound.
type UnknownError struct {
	Pointer Pointer
	Reason  string
}

func (e *UnknownError) Error() string { return fmt.Sprintf("%s: %s", e.Pointer, e.Reason) }

// Is makes errors.Is(err, ErrNotFound) true.
func (e *UnknownError) Is(target error) bool { return target == ErrNotFound }

// AmbiguousError tells that a pointer's ids begin several things. A candidate
// without UUID is a whole session.
type AmbiguousError struct {
	Pointer    Pointer
	Candidates []Place
}

func (e *AmbiguousError) Error() string {
	names := make([]string, 0, 3)
	for _, c := range e.Candidates[:min(len(e.Candidates), 3)] {
		names = append(names, c.Pointer().String())
	}
	if len(e.Candidates) > 3 {
		names = append(names, "…")
	}
	return fmt.Sprintf("%s could be %s", e.Pointer, strings.Join(names, ", "))
}
