//go:build !unix

package e5

import "time"

var start = time.Now()

// cpuTime falls back on the clock.
func cpuTime() time.Duration { return time.Since(start) }
