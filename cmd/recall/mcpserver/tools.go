package mcpserver

import (
	_ "embed"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	searchName = "search_prior_conversations"
	readName   = "read_prior_conversation"

	maxLimit     = 20
	defaultLimit = 5
	maxAlso      = 4
	maxAround    = 50
	minPage      = 500
	defaultPage  = 8000
	maxPage      = 16000
)

var (
	scopes = []string{"auto", "session", "project", "all"}
	kinds  = []string{"text", "command", "output", "file", "summary"}
)

//go:embed search.md
var searchText string

//go:embed read.md
var readText string

// toolText splits a tool's .md file into its description and those of its
// parameters.
func toolText(md string) (description string, params map[string]string) {
	head, tail, _ := strings.Cut(md, "\n## Parameters\n")
	params = map[string]string{}
	for line := range strings.Lines(tail) {
		if name, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			params[name] = text
		}
	}
	return strings.TrimSpace(head), params
}

func searchTool(answers bool) mcp.Tool {
	description, p := toolText(searchText)
	opts := append(common("Search prior conversations", description),
		mcp.WithString("query", mcp.Description(p["query"])),
		mcp.WithArray("alternatives", mcp.Description(p["alternatives"]), mcp.WithStringItems(), mcp.MaxItems(maxAlso)),
		mcp.WithString("pointer", mcp.Description(p["pointer"])),
		mcp.WithString("scope", mcp.Description(p["scope"]), mcp.Enum(scopes...), mcp.DefaultString("auto")),
		mcp.WithBoolean("only_dropped", mcp.Description(p["only_dropped"])),
		mcp.WithArray("kinds", mcp.Description(p["kinds"]), mcp.WithStringEnumItems(kinds)),
		mcp.WithString("since", mcp.Description(p["since"])),
		mcp.WithString("until", mcp.Description(p["until"])),
		mcp.WithInteger("limit", mcp.Description(p["limit"]), mcp.Min(1), mcp.Max(maxLimit), mcp.DefaultNumber(defaultLimit)),
	)
	if answers {
		opts = append(opts, mcp.WithBoolean("answer", mcp.Description(p["answer"])))
	}
	return tool(searchName, opts)
}

func readTool() mcp.Tool {
	description, p := toolText(readText)
	return tool(readName, append(common("Read a prior conversation", description),
		mcp.WithString("pointer", mcp.Description(p["pointer"]), mcp.Required()),
		mcp.WithInteger("before", mcp.Description(p["before"]), mcp.Min(0), mcp.Max(maxAround), mcp.DefaultNumber(0)),
		mcp.WithInteger("after", mcp.Description(p["after"]), mcp.Min(0), mcp.Max(maxAround), mcp.DefaultNumber(0)),
		mcp.WithInteger("max_chars", mcp.Description(p["max_chars"]), mcp.Min(minPage), mcp.Max(maxPage), mcp.DefaultNumber(defaultPage)),
		mcp.WithInteger("offset", mcp.Description(p["offset"]), mcp.Min(0), mcp.DefaultNumber(0)),
	))
}

// common sets all four annotations: the library's defaults call every tool
// destructive and open-world.
func common(title, description string) []mcp.ToolOption {
	return []mcp.ToolOption{
		mcp.WithDescription(description),
		mcp.WithTitleAnnotation(title),
		mcp.WithReadOnlyHintAnnotation(true),
		mcp.WithDestructiveHintAnnotation(false),
		mcp.WithIdempotentHintAnnotation(true),
		mcp.WithOpenWorldHintAnnotation(false),
		mcp.WithSchemaAdditionalProperties(false),
	}
}

// tool asks the client to show the tool from the start: deferred tools are
// only names to the model.
func tool(name string, opts []mcp.ToolOption) mcp.Tool {
	t := mcp.NewTool(name, opts...)
	t.Meta = &mcp.Meta{AdditionalFields: map[string]any{"anthropic/alwaysLoad": true}}
	return t
}
