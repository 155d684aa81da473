package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"recall/anchors"
	"recall/index"
	"recall/transcript"
)

func droppedCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:  "dropped [SESSION]",
		RunE: func(cmd *cobra.Command, args []string) error { return a.dropped(cmd.Context(), args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// droppedJSON is what dropped --json prints.
type droppedJSON struct {
	V           int              `json:"v"`
	Session     string           `json:"session"`
	Project     string           `json:"project"`
	Title       string           `json:"title"`
	Compactions []compactionJSON `json:"compactions"`
}

type compactionJSON struct {
	Nth        int        `json:"nth"`
	Pointer    string     `json:"pointer"` // "" when nothing was dropped
	Time       *time.Time `json:"time"`
	Trigger    string     `json:"trigger"`
	Messages   int        `json:"messages"`   // dropped
	PreTokens  int        `json:"pre_tokens"` // in the context before
	Topics     []string   `json:"topics"`
	Boundary   string     `json:"boundary"`
	Summary    string     `json:"summary"`    // uuid
	Transcript string     `json:"transcript"` // that the summary names
}

func (a *app) dropped(ctx context.Context, args []string, asJSON bool) error {
	lib, err := a.library()
	if err != nil {
		return err
	}
	out := droppedJSON{V: 1, Compactions: []compactionJSON{}}
	err = lib.fresh(ctx, func(x *index.Index) error {
		s, err := a.sessionArg(ctx, x, args)
		if err != nil {
			return err
		}
		out.Session, out.Project, out.Title = s.ID, s.Project, s.Title
		all, err := x.Compactions(ctx, s.ID)
		if err != nil {
			return err
		}
		for _, c := range all {
			cj, err := compactionOf(ctx, x, s.ID, c)
			if err != nil {
				return err
			}
			out.Compactions = append(out.Compactions, cj)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case asJSON:
		err = a.printJSON(out)
	default:
		a.printDropped(out)
	}
	if err == nil && len(out.Compactions) == 0 {
		return errNothing
	}
	return err
}

// sessionArg is the session that is named, else the one that asks, else the
// newest of this project that was compacted, else the newest compacted one.
func (a *app) sessionArg(ctx context.Context, x *index.Index, args []string) (index.Session, error) {
	all, err := x.Sessions(ctx, index.SessionFilter{})
	if err != nil {
		return index.Session{}, err
	}
	named := func(id string) (index.Session, bool) {
		i := slices.IndexFunc(all, func(s index.Session) bool { return s.ID == id })
		if i < 0 {
			return index.Session{ID: id}, false
		}
		return all[i], true
	}
	if len(args) > 0 {
		pointer, err := onePointer("dropped", args)
		if err != nil {
			return index.Session{}, err
		}
		t, err := resolve(ctx, x, pointer)
		s, _ := named(t.Session)
		return s, err
	}
	k := a.asking()
	if s, ok := named(k.session()); ok {
		return s, nil
	}
	here := knownProject(k.dir, projects(all))
	for _, project := range []string{here, ""} {
		for _, s := range all {
			if s.Compactions == 0 || s.Project != project && project != "" {
				continue
			}
			if took, err := tookAway(ctx, x, s.ID); err != nil || took {
				return s, err
			}
		}
	}
	if len(all) == 0 {
		return index.Session{}, hintf("not_found", "recall doctor", "%s", a.nothingIndexed())
	}
	return index.Session{}, hintf("not_found", "recall sessions", "no compaction has dropped anything yet")
}

// tookAway says whether a compaction of the session dropped a message.
func tookAway(ctx context.Context, x *index.Index, session string) (bool, error) {
	all, err := x.Compactions(ctx, session)
	return slices.ContainsFunc(all, func(c index.Compaction) bool { return len(c.Dropped) > 0 }), err
}

func compactionOf(ctx context.Context, x *index.Index, session string, c index.Compaction) (compactionJSON, error) {
	topics, err := topicsOf(ctx, x, c.Dropped)
	pointer := "" // to nothing
	if len(c.Dropped) > 0 {
		pointer = shorten(ctx, x, anchors.Pointer{Session: session, Dropped: c.Nth})
	}
	return compactionJSON{c.Nth, pointer, timeOrNull(c.Time), c.Trigger,
		len(c.Dropped), c.PreTokens, list(topics), c.Boundary, c.Summary, c.Pointer}, err
}

func (a *app) printDropped(d droppedJSON) {
	for _, c := range d.Compactions {
		var at time.Time
		if c.Time != nil {
			at = *c.Time
		}
		fields := []string{a.tty.bold(fmt.Sprintf("compaction %d", c.Nth)), minute(at, a.now())}
		if c.Trigger != "" {
			fields = append(fields, clipWords(c.Trigger, 20))
		}
		fields = append(fields, counted(c.Messages, "message")+" dropped")
		if c.PreTokens > 0 {
			fields = append(fields, "context had "+counted(c.PreTokens, "token"))
		}
		if c.Pointer != "" {
			fields = append(fields, a.tty.style("36", c.Pointer))
		}
		fmt.Fprintln(a.out, a.tty.fields(indent, fields))
		if len(c.Topics) > 0 {
			fmt.Fprint(a.out, a.tty.block(indent, "topics: "+strings.Join(c.Topics, ", ")))
		}
	}
	name := clipWords(d.Title, 60)
	if name == "" {
		name = d.Session
	}
	if len(d.Compactions) == 0 {
		a.tell("session %q was never compacted: nothing was dropped", name)
		a.hint("recall", "sessions")
		return
	}
	a.tell("session %q of %s", name, projectName(d.Project))
	for _, c := range slices.Backward(d.Compactions) {
		if c.Pointer != "" {
			a.hint("recall", "show", c.Pointer)
			return
		}
	}
}

// most topics of a compaction, and most messages that are read for them.
const (
	mostTopics = 6
	mostRead   = 2000
)

// usage counts the messages that hold a word.
type usage struct {
	raw       string // its shortest form
	said, run int    // in prose, in commands
}

// topicsOf picks the words that name what messages were about. On coding
// sessions these are rare words that were both talked about and worked on:
// words of prose alone are mostly manners, words of commands alone mostly syntax.
func topicsOf(ctx context.Context, x *index.Index, places []anchors.Place) ([]string, error) {
	used, err := usages(ctx, x, places[max(0, len(places)-mostRead):])
	if err != nil {
		return nil, err
	}
	terms := slices.Collect(maps.Keys(used))
	st, err := x.Stats(ctx, terms, index.Filter{})
	if err != nil {
		return nil, err
	}
	weight := func(t string) float64 {
		idf := math.Log(1 + float64(st.Total)/float64(1+st.DF[t]))
		w := math.Sqrt(float64(used[t].said)*(float64(used[t].run)+.1)) * idf * idf
		if strings.ContainsAny(used[t].raw, "_./-") { // a name
			w *= 1.5
		}
		return w
	}
	slices.SortFunc(terms, func(s, t string) int {
		return cmp.Or(cmp.Compare(weight(t), weight(s)), cmp.Compare(s, t))
	})
	var out []string
	for _, t := range terms {
		raw := used[t].raw
		if len(out) == mostTopics || used[t].said == 0 {
			break
		}
		if !slices.ContainsFunc(out, func(o string) bool { return strings.Contains(o, raw) || strings.Contains(raw, o) }) {
			out = append(out, raw)
		}
	}
	return out, nil
}

func usages(ctx context.Context, x *index.Index, places []anchors.Place) (map[string]usage, error) {
	used := map[string]usage{}
	for _, p := range places {
		m, err := x.Message(ctx, p)
		if err != nil {
			return nil, err
		}
		if m.Kind != transcript.Text && m.Kind != transcript.Command {
			continue
		}
		for _, w := range index.QueryWords(textOf(m)) {
			u := used[w.Term]
			if !topical(w.Raw) {
				continue
			}
			if m.Kind == transcript.Text {
				u.said++
			} else {
				u.run++
			}
			if u.raw == "" || len(w.Raw) < len(u.raw) {
				u.raw = w.Raw
			}
			used[w.Term] = u
		}
	}
	return used, nil
}

// topical tells words that can name a topic from numbers, hashes and scraps.
func topical(w string) bool {
	letters, digits := 0, 0
	for _, r := range w {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	return letters >= 3 && digits <= 2 && len(w) <= 30 && !commonplace[w]
}

// commonplace words are frequent in talk about anything.
var commonplace = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`one two three four five first second third last next zero both each every
away back down right left still even ever never now then soon again already always often once much many few less least
take takes took taken make makes made give gives given keep keeps kept put set get gets got let need needs want wants
use uses used using see sees seen look looks show shows shown say says said tell tells know known think try tried tries
run runs ran running start starts stop stops go goes went gone come comes came call calls called find finds found
add adds added change changes changed fix fixed work works worked done good better best bad same new old small large big
way thing things part parts point line lines word words case cases kind sure yes okay please thanks time times day
without within against instead because since whether also only just like well back there here where`) {
		m[w] = true
	}
	return m
}()
