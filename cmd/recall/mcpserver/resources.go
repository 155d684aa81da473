package mcpserver

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

//go:embed prompt.md
var promptText string

func (h *handlers) addResources(s *server.MCPServer) {
	s.AddResourceTemplate(mcp.NewResourceTemplate("recall://session/{id}", "conversation",
		mcp.WithTemplateDescription("A past conversation, from its beginning"),
		mcp.WithTemplateMIMEType("text/plain")),
		h.resource(func(arg func(string) string) string { return "recall:" + arg("id") }))
	s.AddResourceTemplate(mcp.NewResourceTemplate("recall://message/{session}/{uuid}", "message",
		mcp.WithTemplateDescription("A message of a past conversation, word for word"),
		mcp.WithTemplateMIMEType("text/plain")),
		h.resource(func(arg func(string) string) string { return "recall:" + arg("session") + "#" + arg("uuid") }))
}

// resource shows the first page of what the URI's arguments name.
func (h *handlers) resource(pointer func(arg func(string) string) string) server.ResourceTemplateHandlerFunc {
	return func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		ctx, cancel := context.WithTimeout(ctx, h.Deadline)
		defer cancel()
		p := pointer(func(name string) string { return templateArg(req.Params.Arguments[name]) })
		text, err := h.page(ctx, page{Range: Range{Pointer: p}, chars: maxPage})
		if err != nil {
			return nil, errors.New(h.explain(err))
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: text}}, nil
	}
}

// templateArg takes an argument of a URI template, which comes as a list.
func templateArg(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, "")
	}
	return ""
}

func (h *handlers) addPrompt(s *server.MCPServer) {
	s.AddPrompt(mcp.NewPrompt("recall",
		mcp.WithPromptDescription("Answer a question from earlier conversations"),
		mcp.WithArgument("question", mcp.ArgumentDescription("what to find"), mcp.RequiredArgument())),
		func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			question := strings.TrimSpace(req.Params.Arguments["question"])
			if question == "" {
				return nil, errors.New("question is missing: say what to find")
			}
			text := strings.Replace(strings.TrimSpace(promptText), "{{question}}", question, 1)
			return mcp.NewGetPromptResult("Search earlier conversations", []mcp.PromptMessage{
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text)),
			}), nil
		})
}
