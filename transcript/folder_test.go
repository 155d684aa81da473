package transcript

import (
	"strings"
	"testing"
)

func TestEncodeDir(t *testing.T) {
	long := "/home/dev/" + strings.Repeat("abcdefghi/", 25) // 260 units
	tests := map[string]struct{ path, want string }{
		"plain":                           {"/home/dev/src/webhooks", "-home-dev-src-webhooks"},
		"marks":                           {"/home/a b.c_d-e/(x)~@+=", "-home-a-b-c-d-e--x-----"},
		"drive":                           {`C:\Users\me\proj`, "C--Users-me-proj"},
		"WSL":                             {"/mnt/c/Users/me", "-mnt-c-Users-me"},
		"letter outside ASCII":            {"/home/dev/äö", "-home-dev---"},
		"emoji: two units":                {"/x/🎈y", "-x---y"},
		"collides with another path":      {"/home/a-b-c-d-e", "-home-a-b-c-d-e"},
		"longest that stays":              {"/" + strings.Repeat("a", 199), "-" + strings.Repeat("a", 199)},
		"too long, negative hash":         {"/home/dev/" + strings.Repeat("x", 200), "-home-dev-" + strings.Repeat("x", 190) + "-fftmxx"},
		"too long, letters outside ASCII": {strings.Repeat("/x/🎈ä", 60), strings.Repeat("-x----", 34)[:200] + "-fu8ipk"},
		"too long: cut, with a hash":      {long, "-home-dev-" + strings.Repeat("abcdefghi-", 19) + "-5fggmt"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := EncodeDir(test.path); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
