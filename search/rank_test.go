package search

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/embed"
	"recall/index"
)

func TestMinMax(t *testing.T) {
	nan, none := math.NaN(), math.Inf(-1)
	many := make([]float64, candidates+100)
	for i := range many {
		many[i] = float64(len(many) - i)
	}
	tests := []struct {
		reason string
		x      []float64
		floor  float64
		want   []float64
	}{
		{"nothing", nil, 0, []float64{}},
		{"scores against their floor", []float64{2, 4, 1}, 0, []float64{.5, 1, .25}},
		{"cosines against the lowest", []float64{.8, .9, .7}, none, []float64{.5, 1, 0}},
		{"what has no vector is 0", []float64{nan, .9, .7}, none, []float64{0, 1, 0}},
		{"nothing has a vector", []float64{nan, nan}, none, []float64{0, 0}},
		{"all the same", []float64{3, 3}, 0, []float64{1, 1}},
		{"all the same cosine", []float64{.8, .8}, none, []float64{1, 1}},
		{"nothing matches", []float64{0, 0}, 0, []float64{0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			got := minMax(tt.x, tt.floor)
			if len(got) != len(tt.want) {
				t.Fatalf("got %v, want %v", got, tt.want)
			}
			for i := range got {
				if math.Abs(got[i]-tt.want[i]) > 1e-9 {
					t.Errorf("got %v, want %v", got, tt.want)
				}
			}
		})
	}
	t.Run("what is below the best 200 is 0", func(t *testing.T) {
		got := minMax(many, 0)
		if got[0] != 1 || got[candidates-1] != 0 || got[len(got)-1] != 0 || got[candidates-2] <= 0 {
			t.Errorf("%v %v %v", got[0], got[candidates-2:candidates], got[len(got)-1])
		}
	})
}

func TestWeightsFor(t *testing.T) {
	if d := cmp.Diff(codeWeights, weightsFor(0), cmp.AllowUnexported(weights{})); d != "" {
		t.Error("code:", d)
	}
	if d := cmp.Diff(chatWeights, weightsFor(1), cmp.AllowUnexported(weights{})); d != "" {
		t.Error("chat:", d)
	}
	if w := weightsFor(.5); w.k1 != (codeWeights.k1+chatWeights.k1)/2 {
		t.Errorf("half way k1 is %v", w.k1)
	}
}

func TestChatness(t *testing.T) {
	tests := []struct {
		reason string
		st     index.Stats
		want   float64
	}{
		{"turns of a chat", index.Stats{Tools: 0, MeanLen: 15}, 1},
		{"a coding session", index.Stats{Tools: .83, MeanLen: 103}, 0},
		{"long prose without tools", index.Stats{Tools: 0, MeanLen: 100}, 0},
		{"short commands", index.Stats{Tools: .6, MeanLen: 20}, 0},
		{"between, by tools", index.Stats{Tools: .25, MeanLen: 30}, .5},
		{"between, by length", index.Stats{Tools: 0, MeanLen: 60}, .5},
	}
	for _, tt := range tests {
		if got := chatness(tt.st); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", tt.reason, got, tt.want)
		}
	}
}

func TestMeanVector(t *testing.T) {
	got := meanVector([]wording{{vec: embed.Vector{1, 0}}, {vec: embed.Vector{0, 1}}})
	if want := float32(math.Sqrt(.5)); math.Abs(float64(got[0]-want)) > 1e-6 || got[0] != got[1] {
		t.Errorf("got %v", got)
	}
	if got := meanVector([]wording{{vec: embed.Vector{1, 0}}, {vec: embed.Vector{-1, 0}}}); got != nil {
		t.Errorf("vectors that cancel out give %v", got)
	}
}

// Of a long question the rarest terms are kept, and their number is bounded.
func TestAskBoundsTerms(t *testing.T) {
	long := "common "
	for i := range 3 * mostWords {
		long += "word" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + " "
	}
	q := ask([]string{long}, "")
	if len(q.terms) != mostWords {
		t.Errorf("%d terms are looked up", len(q.terms))
	}
	q.weigh(index.Stats{Total: 1000, DF: map[string]int{"common": 900}})
	w := q.wordings[0]
	if len(w.terms) != mostTerms || w.asked != mostTerms {
		t.Errorf("%d terms are searched for", len(w.terms))
	}
	for _, x := range w.terms {
		if x.text == "common" {
			t.Error("the most frequent term is kept")
		}
	}
}

// Wordings without words and repeated ones are not counted.
func TestAskWordings(t *testing.T) {
	q := ask([]string{"mail port", "mail port", "* ?", "port of the mail stub"}, "")
	if len(q.wordings) != 2 || q.lone() {
		t.Errorf("%d wordings", len(q.wordings))
	}
}

func TestHitScore(t *testing.T) {
	if got := hitScore(.8, 1, true); got != .8 {
		t.Errorf("the first hit scores %v", got)
	}
	last := 1.0
	for _, share := range []float64{1, .9, .5, .1, 0} {
		got := hitScore(.8, share, false)
		if got >= last || got > .8 {
			t.Errorf("a hit with share %v scores %v, the one before %v", share, got, last)
		}
		last = got
	}
}

// The more of the question is covered, the surer; and never outside 0..1.
func TestConfidence(t *testing.T) {
	for _, s := range []signal{
		{lone: true, scope: "all"}, {scope: "session"}, {chat: 1, lone: true, scope: "project"},
		{chat: 1, cosine: .83, lone: true, scope: "all"}, {chat: .5, cosine: .9, scope: "dropped"},
	} {
		last := -1.0
		for cover := 0.0; cover <= 1; cover += .05 {
			s.cover = cover
			got := s.confidence()
			if got < 0 || got > 1 || got < last {
				t.Errorf("%+v: %v after %v", s, got, last)
			}
			last = got
		}
	}
	for scope := range coverFloor {
		if (signal{lone: true, scope: scope}).found() || !(signal{cover: .5, lone: true, scope: scope}).found() {
			t.Errorf("scope %s: found does not follow coverage", scope)
		}
	}
	unlike, like := signal{chat: 1, cover: .1, cosine: .77, lone: true, scope: "all"}, signal{chat: 1, cover: .1, cosine: .85, lone: true, scope: "all"}
	if unlike.found() || !like.found() {
		t.Error("in chats found does not follow the cosine")
	}
}
