package main

import (
	"testing"
	"time"
)

// noon is a Tuesday in a zone east of Greenwich.
var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.FixedZone("", 2*3600))

func TestWhen(t *testing.T) {
	const layout = "2006-01-02T15:04"
	for _, tc := range []struct{ reason, in, from, to string }{
		{"a date is a day", "2026-11-01", "2026-11-01T00:00", "2026-11-02T00:00"},
		{"today", "today", "2026-11-03T00:00", "2026-11-04T00:00"},
		{"yesterday", "Yesterday", "2026-11-02T00:00", "2026-11-03T00:00"},
		{"days", "7d", "2026-10-27T12:00", "2026-10-27T12:00"},
		{"hours", "36h", "2026-11-02T00:00", "2026-11-02T00:00"},
		{"weeks", "2w", "2026-10-20T12:00", "2026-10-20T12:00"},
		{"minutes", "30m", "2026-11-03T11:30", "2026-11-03T11:30"},
		{"a time that has passed", "09:30", "2026-11-03T09:30", "2026-11-03T09:30"},
		{"a time still to come was yesterday's", "14:00", "2026-11-02T14:00", "2026-11-02T14:00"},
		{"date and time are local", "2026-11-01 14:00", "2026-11-01T14:00", "2026-11-01T14:00"},
		{"RFC 3339 keeps its zone", "2026-11-01T14:00:00Z", "2026-11-01T16:00", "2026-11-01T16:00"},
	} {
		from, to, err := when(tc.in, noon)
		if err != nil {
			t.Errorf("%s: %v", tc.reason, err)
			continue
		}
		if got := from.In(noon.Location()).Format(layout); got != tc.from {
			t.Errorf("%s: from %s, want %s", tc.reason, got, tc.from)
		}
		if got := to.In(noon.Location()).Format(layout); got != tc.to {
			t.Errorf("%s: to %s, want %s", tc.reason, got, tc.to)
		}
	}
	for _, s := range []string{"", "soon", "7", "d", "-7d", "25:00", "2026-13-01", "1e9d"} {
		if from, _, err := when(s, noon); err == nil {
			t.Errorf("%q was read as %v", s, from)
		}
	}
}

func FuzzWhen(f *testing.F) {
	for _, s := range []string{"2026-11-03", "14:00", "7d", "999999w", "2026-11-03T14:00:00+25:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		from, to, err := when(s, noon)
		if err == nil && to.Before(from) {
			t.Errorf("%q: from %v to %v", s, from, to)
		}
	})
}

func TestLocal(t *testing.T) {
	for _, tc := range []struct {
		reason string
		ago    time.Duration
		want   string
	}{
		{"just now", time.Second, "2026-11-03 11:59 (just now)"},
		{"minutes", 5 * time.Minute, "2026-11-03 11:55 (5m ago)"},
		{"hours", 3 * time.Hour, "2026-11-03 09:00 (3h ago)"},
		{"days", 49 * time.Hour, "2026-11-01 11:00 (2d ago)"},
		{"long ago", 8 * 24 * time.Hour, "2026-10-26 12:00"},
		{"to come", -time.Hour, "2026-11-03 13:00"},
	} {
		if got := local(noon.Add(-tc.ago).UTC(), noon); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
		}
	}
	if got := local(time.Time{}, noon); got != "time unknown" {
		t.Errorf("no time: got %q", got)
	}
}
