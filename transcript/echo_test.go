package transcript

import (
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestOwnEcho(t *testing.T) {
	asked := func(name, input string) []string {
		return classified(assistant(call("t1", name, input), ""), userBlocks(result("t1", `"OLD FACT"`), ""))
	}
	own := []string{"assistant noise: own echo", "user noise: own echo"}
	tests := map[string]struct {
		got, want []string
	}{
		"search":                    {asked("mcp__recall__search_prior_conversations", `{"query":"x"}`), own},
		"read, from the plugin":     {asked("mcp__plugin_recall_recall__read_prior_conversation", `{"pointer":"x"}`), own},
		"under another server name": {asked("mcp__memory__search_prior_conversations", `{"query":"x"}`), own},
		"shell":                     {asked("Bash", `{"command":"cd /x && recall search \"why sqlite\" | head"}`), own},
		"shell with a path":         {asked("Bash", `{"command":"~/bin/recall --json search x"}`), own},
		"shell with an environment": {asked("Bash", `{"command":"RECALL_HOME=/t timeout 5 recall show recall:aa#bb"}`), own},
		"shell from source":         {asked("Bash", `{"command":"go run ./cmd/recall search x"}`), own},
		"loading the tool":          {asked("ToolSearch", `{"query":"select:mcp__recall__search_prior_conversations"}`), own},
		"another tool of a server called recall": {
			asked("mcp__recall__plain", `{"n":1}`),
			[]string{"assistant [command n: 1]", "user [output OLD FACT]"},
		},
		"shell that only mentions it": {
			asked("Bash", `{"command":"grep -rn \"recall search\" docs"}`),
			[]string{"assistant [command grep -rn \"recall search\" docs]", "user [output OLD FACT]"},
		},
		"other commands of recall": {
			asked("Bash", `{"command":"recall status"}`),
			[]string{"assistant [command recall status]", "user [output OLD FACT]"},
		},
		"shell mode": {
			classified(user("<bash-input>recall search sqlite</bash-input>"), user("<bash-stdout>OLD FACT</bash-stdout><bash-stderr></bash-stderr>"), user("<bash-stdout>new</bash-stdout>")),
			[]string{"user noise: own echo", "user noise: own echo", "user [output new]"},
		},
		"slash command": {
			classified(user("<command-name>/recall:recall</command-name><command-args>why sqlite</command-args>"), user("<command-name>/recaller</command-name>")),
			[]string{"user noise: own echo", "user [command /recaller]"},
		},
		"own chat": {
			classified(user(OwnMarker+"\nSummarise: OLD FACT"), assistant(`{"type":"text","text":"OLD FACT"}`, ""), user("next")),
			[]string{"user noise: own chat", "assistant noise: own chat", "user noise: own chat"},
		},
		"marker in a later prompt": {
			classified(user("what does this mean"), user(OwnMarker+" ?")),
			[]string{"user [text what does this mean]", "user [text " + OwnMarker + " ?]"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := gocmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestOwnEchoKeepsItsLinks(t *testing.T) {
	rec := NewParser(Memory{}).Parse([]byte(`{"type":"assistant","uuid":"u","parentUuid":"p","message":{"id":"m","content":[` +
		call("t1", "mcp__recall__search_prior_conversations", `{}`) + `]}}`))
	n, ok := rec.Node()
	want := Node{UUID: "u", Parent: "p", Type: "assistant", Role: "assistant", MessageID: "m", Calls: []string{"t1"}}
	if diff := gocmp.Diff(want, n); diff != "" || !ok {
		t.Errorf("%v -want +got:\n%s", ok, diff)
	}
}

func TestQueuedPrompts(t *testing.T) {
	old := `{"type":"system","subtype":"turn_duration","version":"2.1.85","uuid":"v"}`
	op := func(operation, content string) string {
		if content != "" {
			content = `,"content":` + string(quoteRaw(content))
		}
		return fmt.Sprintf(`{"type":"queue-operation","operation":%q,"timestamp":"2026-11-30T19:43:20Z","sessionId":"s"%s}`, operation, content)
	}
	made := "queue-operation/prompt [text use redis]"
	none := "queue-operation noise: queue"
	tests := map[string]struct {
		in   []string
		want string // of the last record
	}{
		"taken off: a prompt":                     {[]string{old, op("enqueue", "use redis"), op("remove", "")}, made},
		"became a user record":                    {[]string{old, op("enqueue", "use redis"), op("dequeue", "")}, none},
		"went back to the input line":             {[]string{old, op("enqueue", "x"), op("popAll", "x"), op("enqueue", "use redis"), op("remove", "")}, made},
		"behind one that was a block list":        {[]string{old, op("enqueue", ""), op("enqueue", "use redis"), op("remove", ""), op("remove", "")}, made},
		"the block list itself":                   {[]string{old, op("enqueue", ""), op("enqueue", "use redis"), op("remove", "")}, none},
		"behind a job's notice":                   {[]string{old, op("enqueue", `{"task_id":"b1"}`), op("enqueue", "use redis"), op("remove", "")}, made},
		"a notification":                          {[]string{old, op("enqueue", "<agent-notification>x"), op("remove", "")}, none},
		"a slash command":                         {[]string{old, op("enqueue", "/model"), op("remove", "")}, none},
		"the text is a user record already":       {[]string{old, op("enqueue", "use redis"), user("use redis"), op("remove", "")}, none},
		"newer client, without the text":          {[]string{strings.Replace(old, "2.1.85", "2.1.100", 1), op("enqueue", "use redis"), op("remove", "")}, none},
		"newer client, with the text":             {[]string{strings.Replace(old, "2.1.85", "2.1.332", 1), op("enqueue", "use redis"), op("remove", "use redis")}, none},
		"client not known":                        {[]string{op("enqueue", "use redis"), op("remove", "")}, none},
		"nothing queued":                          {[]string{old, op("remove", "")}, none},
		"the attachment that follows is no other": {[]string{old, op("enqueue", "use redis"), op("remove", ""), attachment("queued_command", `,"prompt":"use redis","commandMode":"prompt"`)}, "attachment/queued_command noise: repeated prompt"},
		"the same words later are a new prompt":   {[]string{old, op("enqueue", "use redis"), op("remove", ""), user("a"), user("b"), user("use redis")}, "user [text use redis]"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := classified(test.in...)
			if last := got[len(got)-1]; last != test.want {
				t.Errorf("got  %q\nwant %q\nall %q", last, test.want, got)
			}
		})
	}
}

func TestQueuedPromptRecord(t *testing.T) {
	parse := func(session string) *Record {
		p := NewParser(Memory{Version: "2.1.85", Last: "p", Queue: []string{`say "é"`}})
		return p.Parse([]byte(`{"type":"queue-operation","operation":"remove","timestamp":"2026-11-30T19:43:20.889Z","sessionId":"` + session + `"}`))
	}
	rec, other := parse("s1"), parse("s2")
	if rec.Parent != "p" || rec.Session != "s1" || !rec.Prompt() || rec.Time.IsZero() || rec.Role != "user" {
		t.Errorf("%+v", rec)
	}
	if len(rec.UUID) != 36 || rec.UUID[14] != '8' || other.UUID != rec.UUID {
		t.Errorf("uuids %q, in a copy of the session %q", rec.UUID, other.UUID)
	}
	again := NewParser(Memory{}).Parse(rec.Raw)
	if diff := gocmp.Diff(rec, again); diff != "" {
		t.Errorf("parsed again from Raw:\n%s", diff)
	}
}
