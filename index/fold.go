package index

// Fold is what Terms does to letters: lower case, and no accents on Latin ones.
// Whoever looks for a term in a text looks for it in Fold of the text.
func Fold(s string) string { return fold(s) }
