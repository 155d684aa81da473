package main

// nearest returns the candidate that word was probably meant to be, "" when none
// is near.
func nearest(word string, candidates []string) string {
	best, least := "", len([]rune(word))/3+2
	for _, c := range candidates {
		if d := distance(word, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap to get from a
// to b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	row := func() []int { return make([]int, len(t)+1) }
	older, old, cur := row(), row(), row()
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(s); i++ {
		cur[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			cur[j] = min(old[j]+1, cur[j-1]+1, old[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				cur[j] = min(cur[j], older[j-2]+1)
			}
		}
		older, old, cur = old, cur, older
	}
	return old[len(t)]
}
