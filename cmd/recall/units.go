package main

import (
	"fmt"
	"time"

	"recall/cmd/recall/mcpserver"
)

func count(n int) string               { return mcpserver.Count(n) }
func counted(n int, one string) string { return mcpserver.Counted(n, one) }

// bytesize writes a size to two or three digits.
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
