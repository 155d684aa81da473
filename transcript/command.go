package transcript

import (
	"strings"
)

// renderInput turns a tool's input into text that reads like the call: the bare
// command of a shell tool, the bare path first where a file is changed, else
// "key: value" lines in the order of the input. No value is left out.
func renderInput(tool string, input []byte) string {
	var w strings.Builder
	if len(input) == 0 || input[0] != '{' {
		renderValue(&w, input)
		return stripANSI(strings.TrimSpace(w.String()))
	}
	bare := bareKey(tool)
	var first, rest strings.Builder
	fields(input, func(k, v []byte) {
		key := validUTF8(k)
		switch {
		case key == bare:
			renderValue(&first, v)
		case bare == "command" && key == "description":
			rest.WriteString("# ")
			renderValue(&rest, v)
			rest.WriteByte('\n')
		default:
			renderMember(&rest, key, v)
		}
	})
	w.WriteString(first.String())
	if first.Len() > 0 {
		w.WriteByte('\n')
	}
	w.WriteString(rest.String())
	return stripANSI(strings.TrimSpace(w.String()))
}

// bareKey names the input that stands for the whole call.
func bareKey(tool string) string {
	switch tool {
	case "Bash", "PowerShell":
		return "command"
	case "Read", "Edit", "Write", "MultiEdit":
		return "file_path"
	case "NotebookEdit":
		return "notebook_path"
	}
	return ""
}

// renderMember writes one input. A value of several lines starts on a new one.
func renderMember(w *strings.Builder, key string, v []byte) {
	var text strings.Builder
	renderValue(&text, v)
	s := strings.TrimRight(text.String(), "\n")
	w.WriteString(key)
	w.WriteByte(':')
	if strings.Contains(s, "\n") {
		w.WriteByte('\n')
	} else {
		w.WriteByte(' ')
	}
	w.WriteString(s)
	w.WriteByte('\n')
}

func renderValue(w *strings.Builder, v []byte) {
	if len(v) == 0 {
		return
	}
	switch v[0] {
	case '"':
		w.WriteString(unquote(v))
	case '{':
		fields(v, func(k, v []byte) { renderMember(w, validUTF8(k), v) })
	case '[':
		elements(v, func(v []byte) {
			renderValue(w, v)
			w.WriteByte('\n')
		})
	default:
		w.Write(v)
	}
}
