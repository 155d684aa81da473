package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var age = regexp.MustCompile(`^([0-9]{1,6}) ?(m|min|h|d|w)$`)

// when reads a point in time as people write it: 2026-11-03, 2026-11-03 14:00,
// 14:00, 7d, 36h, today, yesterday, RFC 3339. It returns the stretch that is
// meant: a day for a date, from == to for an instant. Times without a zone are
// local; a time of day is the last one that has passed.
func when(s string, now time.Time) (from, to time.Time, err error) {
	s = strings.ToLower(strings.TrimSpace(s))
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch s {
	case "now":
		return now, now, nil
	case "today":
		return midnight, midnight.AddDate(0, 0, 1), nil
	case "yesterday":
		return midnight.AddDate(0, 0, -1), midnight, nil
	}
	if m := age.FindStringSubmatch(s); m != nil {
		n, _ := strconv.Atoi(m[1])
		t := ago(now, n, m[2])
		return t, t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		return t, t.AddDate(0, 0, 1), nil
	}
	if t, err := time.Parse("15:04", s); err == nil {
		t = midnight.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
		if t.After(now) {
			t = t.AddDate(0, 0, -1)
		}
		return t, t, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, strings.ToUpper(s), now.Location()); err == nil {
			return t, t, nil
		}
	}
	return from, to, fmt.Errorf("%q is not a time: write 2026-11-03, 14:00, 7d, 36h or yesterday", s)
}

func ago(now time.Time, n int, unit string) time.Time {
	switch unit {
	case "w":
		return now.AddDate(0, 0, -7*n)
	case "d":
		return now.AddDate(0, 0, -n)
	case "h":
		return now.Add(-time.Duration(n) * time.Hour)
	}
	return now.Add(-time.Duration(n) * time.Minute)
}

// since says how long ago t was, for the last week; "" beyond.
func since(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0 || d >= 7*24*time.Hour:
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	}
	return fmt.Sprintf("%dd ago", d/(24*time.Hour))
}

// minute writes a time for people, where now is local, to the minute. All times
// are of one width.
func minute(t, now time.Time) string {
	if t.IsZero() {
		return "time unknown    "
	}
	return t.In(now.Location()).Format("2006-01-02 15:04")
}

// local is minute with the age of what is recent, for sentences.
func local(t, now time.Time) string {
	s := strings.TrimSpace(minute(t, now))
	if age := since(t, now); age != "" && !t.IsZero() {
		s += " (" + age + ")"
	}
	return s
}
