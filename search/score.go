package search

import "math"

// coverScale is the factor of BM25 that a term reaches when it is all there is
// in a passage of mean length (k1 + 1): coverage is the share of that.
const coverScale = 2.2

// signal is what a ranking knows, before its scores are fused, about whether
// there is an answer at all. Fused scores say nothing about it: their best is
// always near 1.
type signal struct {
	cover  float64 // best BM25 × coordination over coverScale × sum of idf
	cosine float64 // best cosine, 0 without vectors
	chat   float64 // 1 chat, 0 code
	lone   bool
}

// confidence estimates the probability that the first hit answers.
func (s signal) confidence() float64 {
	return logistic(-2.2 + 9*s.cover)
}

// floor is the confidence below which nothing is said to be found.
const floor = .15

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// hitScore estimates the probability that a hit answers, from that of the first
// hit and the hit's fused score as a share of the first one's.
func hitScore(confidence, share float64) float64 {
	return confidence * math.Pow(share, 2)
}
