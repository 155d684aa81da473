package main

import (
	"fmt"
	"io"
	"time"

	"recall/index"
)

// progress shows how far long work is: one line that is drawn over on a
// terminal, a line now and then elsewhere.
type progress struct {
	w     io.Writer
	tty   terminal
	every time.Duration // between plain lines
	base  index.Progress
	last  time.Time
	begun time.Time
	drawn bool
}

func (a *app) progress() *progress {
	return &progress{w: a.err, tty: a.errTTY, every: 5 * time.Second, begun: time.Now(), last: time.Now()}
}

// next starts another slice of the same work: what was done so far counts.
func (p *progress) next(done int64, messages int) {
	p.base.Done += done
	p.base.Messages += messages
}

// restart begins other work.
func (p *progress) restart() { p.base, p.begun = index.Progress{}, time.Now() }

func (p *progress) show(now index.Progress) {
	now.Done += p.base.Done
	now.Total += p.base.Done
	now.Messages += p.base.Messages
	now.Elapsed = time.Since(p.begun)
	switch {
	case p.tty.is:
		line := progressLine(now)
		if p.tty.width > 0 && len(line) >= p.tty.width {
			line = line[:p.tty.width-1]
		}
		fmt.Fprintf(p.w, "\r\x1b[K%s", line)
		p.drawn = true
	case time.Since(p.last) >= p.every:
		fmt.Fprintln(p.w, progressLine(now))
		p.last = time.Now()
	}
}

// clear takes the drawn line away.
func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

func progressLine(p index.Progress) string {
	share := 0.0
	if p.Total > 0 {
		share = float64(p.Done) / float64(p.Total)
	}
	sec := p.Elapsed.Seconds()
	var s string
	if p.Phase == "embed" {
		s = fmt.Sprintf("embedding %3.0f%%  %s of %s", 100*share, count(int(p.Done)), counted(int(p.Total), "passage"))
		if sec >= 1 {
			s += fmt.Sprintf("  %.0f/s", float64(p.Done)/sec)
		}
	} else {
		s = fmt.Sprintf("reading %3.0f%%  %s of %s  %s", 100*share, bytesize(p.Done), bytesize(p.Total), counted(p.Messages, "message"))
		if sec >= 1 {
			s += fmt.Sprintf("  %s/s", bytesize(int64(float64(p.Done)/sec)))
		}
	}
	if left := p.Elapsed.Seconds() * (1 - share) / max(share, 1e-9); sec >= 1 && share > 0.01 {
		s += "  " + took(time.Duration(left*float64(time.Second))) + " left"
	}
	return s
}
