package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// count writes a number with a thin comma every three digits.
func count(n int) string {
	s := strconv.Itoa(n)
	if n < 0 {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// counted is a number of things: "1 file", "2,041 files".
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	many := one + "s"
	if stem, ok := strings.CutSuffix(one, "y"); ok && !strings.ContainsAny(stem[len(stem)-1:], "aeou") {
		many = stem + "ies"
	}
	return count(n) + " " + many
}

// bytes writes a size to two or three digits.
func bytesize(n int64) string {
	f, unit := float64(n), 0
	for f >= 999.5 && unit < 5 {
		f, unit = f/1000, unit+1
	}
	name := []string{"B", "kB", "MB", "GB", "TB", "PB"}[unit]
	if unit == 0 || f >= 99.5 {
		return fmt.Sprintf("%.0f %s", f, name)
	}
	return fmt.Sprintf("%.1f %s", f, name)
}

// took writes a duration to two or three digits.
func took(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
