package model

import (
	"encoding/json"
	"fmt"
)

type anthropicBlock struct {
	Type   string          `json:"type"`
	Text   string          `json:"text,omitempty"`
	ID     string          `json:"id,omitempty"`
	Name   string          `json:"name,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`
	UseID  string          `json:"tool_use_id,omitempty"`
	Result string          `json:"content,omitempty"`
}

type anthropicMessage struct {
	Role    string           `json:"role"`
	Content []anthropicBlock `json:"content"`
}

type anthropicTool struct {
	Name   string          `json:"name"`
	About  string          `json:"description"`
	Schema json.RawMessage `json:"input_schema"`
}

type anthropicRequest struct {
	Model     string             `json:"model"`
	System    string             `json:"system"`
	Messages  []anthropicMessage `json:"messages"`
	Tools     []anthropicTool    `json:"tools,omitempty"`
	MaxTokens int                `json:"max_tokens"`
	Stream    bool               `json:"stream"`
}

func (c *Client) anthropicBody(about Conversation) anthropicRequest {
	body := anthropicRequest{Model: c.account.Model, System: about.System, MaxTokens: about.MaxTokens, Stream: true}
	for _, m := range about.Messages {
		one := anthropicMessage{Role: m.Role}
		switch {
		case m.Role == ToolRole:
			one = anthropicMessage{User, []anthropicBlock{{Type: "tool_result", UseID: m.CallID, Result: m.Text}}}
		case m.Text != "":
			one.Content = append(one.Content, anthropicBlock{Type: "text", Text: m.Text})
		}
		for _, call := range m.Calls {
			one.Content = append(one.Content, anthropicBlock{
				Type: "tool_use", ID: call.ID, Name: call.Name, Input: object(call.Args),
			})
		}
		if last := len(body.Messages) - 1; last >= 0 && body.Messages[last].Role == one.Role {
			body.Messages[last].Content = append(body.Messages[last].Content, one.Content...)
			continue
		}
		body.Messages = append(body.Messages, one)
	}
	for _, tool := range about.Tools {
		body.Tools = append(body.Tools, anthropicTool(tool))
	}
	return body
}

// object is what a model gave as arguments, if it is an object as it must be when it is sent back; else an empty one.
func object(args string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &members) != nil || members == nil {
		return json.RawMessage("{}")
	}
	return json.RawMessage(args)
}

type anthropicUsage struct {
	In  int64 `json:"input_tokens"`
	Out int64 `json:"output_tokens"`
}

// anthropic takes one event of a stream in.
func (t *Turn) anthropic(data []byte) error {
	var event struct {
		Type    string `json:"type"`
		Index   int    `json:"index"`
		Message struct {
			Usage anthropicUsage `json:"usage"`
		} `json:"message"`
		Block anthropicBlock `json:"content_block"`
		Delta struct {
			Type string `json:"type"`
			Text string `json:"text"`
			Args string `json:"partial_json"`
		} `json:"delta"`
		Usage anthropicUsage `json:"usage"`
	}
	if err := json.Unmarshal(data, &event); err != nil {
		return ErrUnreadable
	}
	switch event.Type {
	case "message_start":
		t.In = max(event.Message.Usage.In, 0)
	case "content_block_start":
		if event.Block.Type == "tool_use" {
			call, err := t.call(len(t.Calls))
			if err != nil {
				return err
			}
			*call = Call{ID: event.Block.ID, Name: event.Block.Name}
			t.open(event.Index)
		}
	case "content_block_delta":
		t.Text += event.Delta.Text
		if event.Delta.Type == "input_json_delta" {
			return t.input(event.Index, event.Delta.Args)
		}
	case "message_delta":
		t.Out = max(event.Usage.Out, t.Out)
	case "message_stop":
		t.end = true
	case "error":
		return fmt.Errorf("%w: it tells of an error", ErrCut)
	}
	return nil
}

// open notes which block of the answer the newest call is: arguments name their block.
func (t *Turn) open(block int) {
	if t.blocks == nil {
		t.blocks = map[int]int{}
	}
	t.blocks[block] = len(t.Calls) - 1
}

func (t *Turn) input(block int, args string) error {
	at, known := t.blocks[block]
	if !known {
		return fmt.Errorf("%w: it gives arguments to no tool", ErrUnreadable)
	}
	return t.Calls[at].more(args)
}
