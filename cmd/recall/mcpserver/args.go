package mcpserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// args reads the arguments of a call and collects what is wrong with them, a
// sentence each. It takes what is meant where that is beyond doubt: "5" for 5, a
// lone string for a list of one, null and "" for an argument left out.
type args struct {
	all  map[string]any
	used []string
	bad  []string
}

func (a *args) get(name string) any {
	a.used = append(a.used, name)
	v := a.all[name]
	if s, ok := v.(string); ok && strings.TrimSpace(s) == "" {
		return nil
	}
	return v
}

// refused tells whether something was wrong with one of these arguments: then
// it is not missing.
func (a *args) refused(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(a.bad, func(s string) bool { return strings.HasPrefix(s, name+" ") })
	})
}

func (a *args) wrong(format string, v ...any) {
	a.bad = append(a.bad, fmt.Sprintf(format, v...))
}

func (a *args) str(name string) string {
	switch v := a.get(name).(type) {
	case nil:
		return ""
	case string:
		return strings.TrimSpace(v)
	default:
		a.wrong("%s is %s: send a string.", name, shown(v))
		return ""
	}
}

func (a *args) oneOf(name, def string, allowed []string) string {
	s := a.str(name)
	if s == "" {
		return def
	}
	if !slices.Contains(allowed, s) {
		a.wrong("%s is %q: send one of %s.", name, s, strings.Join(allowed, ", "))
	}
	return s
}

func (a *args) list(name string, most int, allowed []string) []string {
	var out []string
	switch v := a.get(name).(type) {
	case nil:
	case string:
		out = unwrap(v)
	case []any:
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				a.wrong("%s holds %s: send an array of strings.", name, shown(e))
				return nil
			}
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	default:
		a.wrong("%s is %s: send an array of strings.", name, shown(v))
	}
	if most > 0 && len(out) > most {
		a.wrong("%s has %d entries: send at most %d.", name, len(out), most)
	}
	for _, s := range out {
		if allowed != nil && !slices.Contains(allowed, s) {
			a.wrong("%s holds %q: send any of %s.", name, s, strings.Join(allowed, ", "))
		}
	}
	return out
}

// unwrap takes a list that was sent as a string, in JSON or as the one entry.
func unwrap(s string) []string {
	var list []string
	if json.Unmarshal([]byte(s), &list) == nil {
		return list
	}
	return []string{strings.TrimSpace(s)}
}

func (a *args) num(name string, def, lo, hi int) int {
	var n float64
	switch v := a.get(name).(type) {
	case nil:
		return def
	case float64:
		n = v
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil {
			f = math.NaN()
		}
		n = f
	default:
		n = math.NaN()
	}
	if n != math.Trunc(n) || n < float64(lo) || n > float64(hi) { // NaN too: it equals nothing
		a.wrong("%s is %s: send a whole number from %d to %d.", name, shown(a.all[name]), lo, hi)
		return def
	}
	return int(n)
}

func (a *args) yes(name string) bool {
	switch v := a.get(name).(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		if b, err := strconv.ParseBool(v); err == nil {
			return b
		}
	}
	a.wrong("%s is %s: send true or false.", name, shown(a.all[name]))
	return false
}

// check reports what was wrong, arguments nobody asked for included. Call it
// when all have been read.
func (a *args) check() error {
	for _, name := range slices.Sorted(maps.Keys(a.all)) {
		if !slices.Contains(a.used, name) {
			a.wrong("There is no argument %q: send any of %s.", name, strings.Join(a.used, ", "))
		}
	}
	if len(a.bad) == 0 {
		return nil
	}
	return wrong{strings.Join(a.bad, "\n")}
}

func shown(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return clip(string(b), 60)
}
