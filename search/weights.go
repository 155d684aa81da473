package search

import "recall/index"

// Figures below were measured on two sets: "code", 50 questions about what
// compactions of 48 coding sessions dropped (one question is 2 points, less than
// 8 are noise), and "chat", 759 questions about 128 chat sessions (less than
// 1.7 are noise). Where nothing is said of a weight, its neighbours gave the same.

// weights is everything that ranking multiplies by.
type weights struct {
	k1, b float64 // BM25
	coord float64 // exponent of the share of a wording's terms that are present

	near    [around]float64 // share of the keyword score of a passage 1 and 2 places away
	session float64         // share of the keyword score of the session as one document
	prior   float64         // share of the mean of the session's best fused scores

	meaning     float64 // weight of the cosine against the keyword score, of a lone question
	own, mean   float64 // the same with alternatives: the question's own vector, the mean of all
	meaningNear float64 // weight of the mean cosine of the passages around
	meaningSess float64 // weight of the mean cosine of the session's candidates
}

// codeWeights are for sessions full of commands and their output.
//
// Hit@10 in the session asked about / in its project / over all sessions: words
// alone 70 / 66 / 60, with neighbours 70 / 68 / 60, with expansion and prior
// 74 / 66 / 58, with vectors 82 / 72 / 66. A weight of meaning of .25 gave
// 80 / 72 / 64, and on 112 questions about the sample history 77 against 81.
// Without the prior: 82 / 74 / 62, and 77 on the sample history. With three
// alternatives 94 to 96 in the session and 90 to 96 over all sessions; then the
// exponent of coordination .7 gave MRR 71 over all sessions, .5 69 and 1 72 (with
// hit@10 92 instead of 94), and the question's own vector 2 to 8 points of hit@10.
var codeWeights = weights{
	k1: 1.2, b: .75, coord: .7,
	near: [around]float64{.15, .1}, session: 0, prior: .3,
	meaning: .35, own: .2, mean: .1,
}

// chatWeights are for short turns of prose.
//
// Recall@10 within a project: words alone 64.4, with neighbours 72.7, with the
// session 74.7, with vectors 77.9, with the vectors' own context 78.6 (shares
// of .3, .2 and .4 of neighbours and session: 78.3). The prior gains nothing
// here. Own and mean add up to the lone question's share; they were not measured.
var chatWeights = weights{
	k1: .9, b: .4, coord: 1,
	near: [around]float64{.4, .3}, session: .6, prior: 0,
	meaning: .55, own: .35, mean: .35,
	meaningNear: .5, meaningSess: .3,
}

const (
	candidates = 200 // passages asked of each list; rescoring 100 equals scoring all
	around     = 2   // places on either side that count as neighbours

	mostWordings = 8   // three alternatives are enough, six bring no more
	mostWords    = 128 // words of a wording that are looked up
	mostTerms    = 16  // of these, the rarest are searched for

	// Expansion adds to each word of a lone question the 5 words used most alike.
	// Hit@10 in the session by words alone 70 without, 74 with; 3 or 8 words the
	// same. With alternatives it costs up to 2 points of MRR. A long question
	// needs none.
	alikeWords  = 5
	alikeWeight = .3 // times the cosine
	alikeAsked  = 24 // words of a question that is expanded, at most

	priorHits = 3 // passages that stand for their session in the prior; 5 gave 2 points less

	subagent = .9 // sub-agents' messages are set back a little

	// With scope auto. Hit@10 asked from within the session 68 with a factor of 1
	// for what it dropped, 74 with 1.5 and 76 with 2; but all those questions are
	// about their own session. The factor of the project counts when that holds
	// nothing good and all are searched: 68 with 1 and 1.2, 70 with 1.5.
	ownDropped = 1.5 // what the asking session's compactions dropped
	ownProject = 1.2 // its project, when all are searched
	ownLive    = .5  // what its model still sees
)

// kindWeight is what a match in a kind of text counts: hit@1 over all sessions
// of code 18 without it and coordination, 30 with both.
var kindWeight = map[string]float64{"text": 1, "command": .7, "output": .6, "file": .5, "summary": .5}

// Material is chat when it has few tool messages and its passages are short:
// chat has no tools and 15 terms a passage, code .83 and 103.
const (
	toolsChat, toolsCode = .1, .4 // share of commands and outputs
	termsChat, termsCode = 40, 80 // terms of a passage
)

// chatness says how much material is like chat: 1 chat, 0 code.
func chatness(st index.Stats) float64 {
	return ramp(st.Tools, toolsCode, toolsChat) * ramp(st.MeanLen, termsCode, termsChat)
}

// ramp is 0 at x = zero, 1 at x = one, and linear between.
func ramp(x, zero, one float64) float64 { return max(0, min(1, (x-zero)/(one-zero))) }

// weightsFor mixes the weights for material of that chatness.
func weightsFor(chat float64) weights {
	mix := func(code, chatty float64) float64 { return code + chat*(chatty-code) }
	c, t := &codeWeights, &chatWeights
	return weights{
		k1: mix(c.k1, t.k1), b: mix(c.b, t.b), coord: mix(c.coord, t.coord),
		near:    [around]float64{mix(c.near[0], t.near[0]), mix(c.near[1], t.near[1])},
		session: mix(c.session, t.session), prior: mix(c.prior, t.prior),
		meaning: mix(c.meaning, t.meaning), own: mix(c.own, t.own), mean: mix(c.mean, t.mean),
		meaningNear: mix(c.meaningNear, t.meaningNear), meaningSess: mix(c.meaningSess, t.meaningSess),
	}
}
