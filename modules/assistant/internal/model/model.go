// Package model talks to a language model that an administrator has connected: one that speaks as OpenAI's does, or
// Anthropic's. It sends a conversation with the tools that the model may name and streams what it says. A model only
// ever names tools; nothing is done here.
package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/config"
	"panel/platform/outbound"
)

// Kinds of models.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Roles in a conversation.
const (
	User      = "user"
	Assistant = "assistant"
	ToolRole  = "tool"
)

// Faults of models.
var (
	ErrKey        = errors.New("the model refuses the key")
	ErrBusy       = errors.New("the model is asked too often")
	ErrSilent     = errors.New("the model has fallen silent")
	ErrCut        = errors.New("the answer of the model broke off")
	ErrUnreadable = errors.New("the answer of the model cannot be read")
	ErrTooLong    = errors.New("the answer of the model is too long")
)

// Bounds of one turn.
const (
	mostStream = 2 << 20   // bytes of a streamed answer
	mostLine   = 256 << 10 // bytes of one event
	mostText   = 16 << 10  // bytes that a model may say
	mostCalls  = 8         // tools that it may name at once
	mostArgs   = 8 << 10   // bytes of the arguments of one
)

// Tool is one that the model may name.
type Tool struct {
	Name   string
	About  string
	Schema json.RawMessage // of its arguments
}

// Call is a tool that the model has named.
type Call struct {
	ID   string
	Name string
	Args string // JSON, as the model wrote it
}

// Message is one of a conversation.
type Message struct {
	Role   string
	Text   string
	Calls  []Call // of the model
	CallID string // whose result it is
}

// Conversation is what a model is sent.
type Conversation struct {
	System    string
	Messages  []Message
	Tools     []Tool
	MaxTokens int
}

// Turn is what a model answered.
type Turn struct {
	Text    string
	Calls   []Call
	In, Out int64 // tokens; estimated where the model does not tell

	end    bool        // the model has said that this is all
	blocks map[int]int // calls by the block of the answer that they are
}

// Account is how a model is reached.
type Account struct {
	Kind    string
	Address string
	Model   string
	Key     config.Secret
	Reach   outbound.Reach
}

// Client talks to one model.
type Client struct {
	account Account
	http    *outbound.Client
	clock   clockwork.Clock
	idle    time.Duration
}

// Limits bound the time of one turn: all of it, and without a byte.
type Limits struct{ Whole, Idle time.Duration }

// New makes a client.
func New(network *outbound.Network, account Account, clock clockwork.Clock, limits Limits) *Client {
	headers := map[string]config.Secret{}
	switch {
	case account.Key.Empty():
	case account.Kind == Anthropic:
		headers["X-Api-Key"] = account.Key
	default:
		headers["Authorization"] = config.NewSecret("Bearer " + account.Key.Reveal())
	}
	return &Client{
		account: account, clock: clock, idle: limits.Idle,
		http: network.New(outbound.Options{
			Name: "model", Service: "the language model", Reach: account.Reach, Timeout: limits.Whole, MaxAnswer: mostStream,
			Headers: headers,
		}),
	}
}

// Close ends idle connections.
func (c *Client) Close() { c.http.Close() }

// Ask sends the conversation and gives the answer; say hears its text as it comes.
// Errors: those of this package, and faults of the outgoing call.
func (c *Client) Ask(ctx context.Context, about Conversation, say func(piece string)) (Turn, error) {
	request, err := c.request(ctx, about)
	if err != nil {
		return Turn{}, err
	}
	ctx, silent := context.WithCancelCause(ctx)
	defer silent(nil)
	timer := c.clock.AfterFunc(c.idle, func() { silent(ErrSilent) })
	defer timer.Stop()
	response, err := c.http.Stream(ctx, request.WithContext(ctx))
	if err != nil {
		return Turn{}, c.failure(ctx, err)
	}
	defer response.Body.Close()
	turn := Turn{}
	err = events(&alive{response.Body, func() { timer.Reset(c.idle) }}, func(data []byte) error {
		said := len(turn.Text)
		if err := c.event(&turn, data); err != nil {
			return err
		}
		if len(turn.Text) > mostText {
			return ErrTooLong
		}
		if say != nil && len(turn.Text) > said {
			say(turn.Text[said:])
		}
		return nil
	})
	c.estimate(&turn, about)
	if err == nil && !turn.end {
		err = ErrCut
	}
	return turn, c.failure(ctx, err)
}

// estimate fills in the tokens that the model has not told of: a token is about four bytes.
func (c *Client) estimate(turn *Turn, about Conversation) {
	if turn.In == 0 {
		n := len(about.System)
		for _, m := range about.Messages {
			n += len(m.Text)
		}
		turn.In = int64(n/4 + 1)
	}
	if turn.Out == 0 {
		n := len(turn.Text)
		for _, call := range turn.Calls {
			n += len(call.Args)
		}
		turn.Out = int64(n/4 + 1)
	}
}

// failure gives an error of a call the word that people are told.
func (c *Client) failure(ctx context.Context, err error) error {
	var status *outbound.StatusError
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), ErrSilent):
		return ErrSilent
	case errors.As(err, &status) && (status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden):
		return ErrKey
	case errors.As(err, &status) && status.Status == http.StatusTooManyRequests:
		return ErrBusy
	case errors.Is(err, outbound.ErrTooLarge):
		return ErrTooLong
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ErrCut
	}
	return err
}

func (c *Client) request(ctx context.Context, about Conversation) (*http.Request, error) {
	path, content := "/chat/completions", any(nil)
	if c.account.Kind == Anthropic {
		path, content = "/v1/messages", c.anthropicBody(about)
	} else {
		content = c.openAIBody(about)
	}
	text, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("encode the question for the model: %w", err)
	}
	address := strings.TrimSuffix(c.account.Address, "/") + path
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return nil, outbound.ErrForbidden
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	if c.account.Kind == Anthropic {
		request.Header.Set("Anthropic-Version", "2023-06-01")
	}
	return request, nil
}

func (c *Client) event(turn *Turn, data []byte) error {
	if c.account.Kind == Anthropic {
		return turn.anthropic(data)
	}
	return turn.openAI(data)
}

// call gives the call at an index of the answer.
func (t *Turn) call(index int) (*Call, error) {
	if index < 0 || index >= mostCalls || index > len(t.Calls) {
		return nil, fmt.Errorf("%w: it names a tool out of order", ErrUnreadable)
	}
	if index == len(t.Calls) {
		t.Calls = append(t.Calls, Call{})
	}
	return &t.Calls[index], nil
}

func (c *Call) more(args string) error {
	if c.Args += args; len(c.Args) > mostArgs {
		return ErrTooLong
	}
	return nil
}
