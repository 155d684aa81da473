package search

import (
	"math"
	"strings"
)

// coverScale is the factor of BM25 that a term reaches at most (k1 + 1): the
// coverage of a passage is the share of that which its words reach.
const coverScale = 2.2

// signal is what a ranking knows, before its scores are fused, about whether
// there is an answer at all. Fused scores say nothing about it: their best is
// always near 1.
type signal struct {
	cover  float64 // mean over the wordings of the best coverage
	cosine float64 // best cosine; 0 without vectors, or when the model's cosines were not measured
	chat   float64 // 1 chat, 0 code
	lone   bool    // one wording only
	scope  string  // as in Scope.Searched
}

// floors are what a signal must reach for something to be found, by scope: the
// wider it is, the more is covered by chance.
//
// For a lone question on code about 5% of the questions that have an answer
// stay below them (2 to 10% by set; 50 and 112 questions), and 6 of 15 that
// have none. Coverage alone tells the two apart with an AUC of .92 and .77, with
// the cosine .97 and .79. With alternatives coverage is enough: none of 262
// below, 23 of 25 of those without an answer.
var (
	coverFloor = map[string]float64{"dropped": .02, "session": .02, "project": .025, "all": .03}
	bothFloor  = map[string]float64{"dropped": .04, "session": .04, "project": .05, "all": .06} // coverage + cosine - .8
)

const (
	bothCosine = .8 // about the best cosine of a passage that has nothing to do with it
	alsoFloor  = .1 // coverage, with alternatives
)

// For chat the cosine tells. With cosine + coverage/10 at .81, 1.8% of the
// questions with an answer are missed and 90% of those put to another
// conversation are told apart; at .822 4.7 and 95% (coverage alone: 5 and 70%).
// Half of the others' are below .78.
const (
	chatNone, chatFloor = .78, .81
	chatCover           = .1
	measuredModel       = "e5-small-v2" // whose cosines these are
)

func measured(model string) bool { return strings.HasPrefix(model, measuredModel) }

// presence says how sure it is that the scope holds something on the question:
// 1 and above is found.
func (s signal) presence() float64 {
	code := s.cover / alsoFloor
	switch {
	case s.lone && s.cosine > 0:
		code = (s.cover + s.cosine - bothCosine) / bothFloor[s.scope]
	case s.lone:
		code = s.cover / coverFloor[s.scope]
	}
	if s.cosine == 0 {
		return code
	}
	chat := (s.cosine + chatCover*s.cover - chatNone) / (chatFloor - chatNone)
	return s.chat*chat + (1-s.chat)*code
}

func (s signal) found() bool { return s.presence() >= 1 }

// confidence estimates the probability that the first hit is an answer:
// logistic curves over the coverage, fitted on 150 rankings of lone questions on
// code, 300 with alternatives and 759 on chat, cut down where it is not sure
// that there is one.
func (s signal) confidence() float64 {
	code := logistic(-1.7 + 6.8*s.cover)
	if !s.lone {
		code = logistic(-.9 + 3.1*s.cover)
	}
	chat := logistic(-.8 + 2.4*s.cover)
	return max(0, min(1, s.presence())) * (s.chat*chat + (1-s.chat)*code)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// hitScore estimates the probability that a hit is an answer: of the first one
// it is the confidence; of another one, with a fused score of share times the
// first one's, much less. Measured for shares of .5, .7 and .9: 2, 6 to 12 and
// 7 to 20%, when the first hit is one in 45 to 56%.
func hitScore(confidence, share float64, first bool) float64 {
	if first {
		return confidence
	}
	return .4 * confidence * share * share * share
}
