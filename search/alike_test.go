package search

import "testing"

func TestSketchLike(t *testing.T) {
	long := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
	tests := []struct {
		reason string
		a, b   string
		want   bool
	}{
		{"the same", "the relay is up", "the relay is up", true},
		{"other spaces, case and marks", "The relay: is UP.", "the  relay is\nup", true},
		{"a listing at other line numbers", "  1→package x\n  2→var y", " 41→package x\n 42→var y", true},
		{"grep's line numbers too", "12: package x\n13: var y", "14: package x\n15: var y", true},
		{"one word of twenty more", long, long + " more", true},
		{"one number of twenty words", long + " 7", long + " 8", false},
		{"a number more", long, long + " 8", false},
		{"half of the words", "one two three four", "one two five six", false},
		{"a part", "one two three four five", "one two", false},
		{"nothing in them", "...", "---", false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			a, b := sketchOf(tt.a), sketchOf(tt.b)
			if got := a.like(b); got != tt.want {
				t.Errorf("got %v", got)
			}
			if a.like(b) != b.like(a) {
				t.Error("the order matters")
			}
		})
	}
}

func TestSameWords(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"Which port?", "which  PORT", true},
		{"which port", "port which", false},
		{"which port", "which port now", false},
		{"", "", false},
		{"?", "!", false},
	}
	for _, tt := range tests {
		if got := sameWords(tt.a, tt.b); got != tt.want {
			t.Errorf("sameWords(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}
