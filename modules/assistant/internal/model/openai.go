package model

import (
	"encoding/json"
	"fmt"
)

type openAIMessage struct {
	Role    string       `json:"role"`
	Content string       `json:"content"`
	Calls   []openAICall `json:"tool_calls,omitempty"`
	CallID  string       `json:"tool_call_id,omitempty"`
}

type openAICall struct {
	Index    int    `json:"index"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name string `json:"name,omitempty"`
		Args string `json:"arguments"`
	} `json:"function"`
}

type openAITool struct {
	Type     string         `json:"type"`
	Function openAIFunction `json:"function"`
}

type openAIFunction struct {
	Name       string          `json:"name"`
	About      string          `json:"description"`
	Parameters json.RawMessage `json:"parameters"`
}

type openAIRequest struct {
	Model     string          `json:"model"`
	Messages  []openAIMessage `json:"messages"`
	Tools     []openAITool    `json:"tools,omitempty"`
	MaxTokens int             `json:"max_tokens"`
	Stream    bool            `json:"stream"`
	Options   struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

func (c *Client) openAIBody(about Conversation) openAIRequest {
	body := openAIRequest{Model: c.account.Model, MaxTokens: about.MaxTokens, Stream: true}
	body.Options.Usage = true
	body.Messages = append(body.Messages, openAIMessage{Role: "system", Content: about.System})
	for _, m := range about.Messages {
		one := openAIMessage{Role: m.Role, Content: m.Text, CallID: m.CallID}
		for i, call := range m.Calls {
			asked := openAICall{Index: i, ID: call.ID, Type: "function"}
			asked.Function.Name, asked.Function.Args = call.Name, call.Args
			one.Calls = append(one.Calls, asked)
		}
		body.Messages = append(body.Messages, one)
	}
	for _, tool := range about.Tools {
		body.Tools = append(body.Tools, openAITool{"function", openAIFunction{tool.Name, tool.About, tool.Schema}})
	}
	return body
}

// openAI takes one event of a stream in.
func (t *Turn) openAI(data []byte) error {
	if string(data) == "[DONE]" {
		t.end = true
		return nil
	}
	var event struct {
		Choices []struct {
			Delta struct {
				Content string       `json:"content"`
				Calls   []openAICall `json:"tool_calls"`
			} `json:"delta"`
			Finish string `json:"finish_reason"`
		} `json:"choices"`
		Usage *struct {
			In  int64 `json:"prompt_tokens"`
			Out int64 `json:"completion_tokens"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(data, &event); err != nil {
		return ErrUnreadable
	}
	if len(event.Error) > 0 && string(event.Error) != "null" {
		return fmt.Errorf("%w: it tells of an error", ErrCut)
	}
	if event.Usage != nil {
		t.In, t.Out = max(event.Usage.In, 0), max(event.Usage.Out, 0)
	}
	for _, choice := range event.Choices {
		t.Text += choice.Delta.Content
		t.end = t.end || choice.Finish != ""
		for _, piece := range choice.Delta.Calls {
			call, err := t.call(piece.Index)
			if err != nil {
				return err
			}
			call.ID += piece.ID
			call.Name += piece.Function.Name
			if err := call.more(piece.Function.Args); err != nil {
				return err
			}
		}
	}
	return nil
}
