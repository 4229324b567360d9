package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/config"
	"panel/platform/outbound"
)

// client talks to a server that answers with a text.
func client(t *testing.T, kind, answer string, heard *http.Request) *Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*heard = *r
		heard.Body = io.NopCloser(bytes.NewReader(body))
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	network, err := outbound.Through("")
	require.NoError(t, err)
	made := New(network, Account{
		Kind: kind, Address: server.URL + "/", Model: "m", Key: config.NewSecret("k"), Reach: outbound.Configured,
	}, clockwork.NewRealClock(), Limits{Whole: time.Minute, Idle: time.Minute})
	t.Cleanup(made.Close)
	return made
}

var talk = Conversation{
	System: "be short", MaxTokens: 7,
	Messages: []Message{
		{Role: User, Text: "hi"},
		{Role: Assistant, Text: "look", Calls: []Call{{ID: "1", Name: "a", Args: `{"x":1}`}, {ID: "2", Name: "b", Args: "broken"}}},
		{Role: ToolRole, CallID: "1", Text: "one"},
		{Role: ToolRole, CallID: "2", Text: "two"},
	},
	Tools: []Tool{{Name: "a", About: "does", Schema: json.RawMessage(`{"type":"object"}`)}},
}

func sent(t *testing.T, r *http.Request) map[string]any {
	t.Helper()
	out := map[string]any{}
	require.NoError(t, json.NewDecoder(r.Body).Decode(&out))
	return out
}

// Two calls in one answer are told apart by their index, however their pieces are mixed; usage is what the model says.
func TestCallsAreTakenByIndex(t *testing.T) {
	t.Parallel()
	piece := func(index, name, args string) string {
		return `data: {"choices":[{"delta":{"tool_calls":[{"index":` + index + `,"id":"` + name + `","function":{"name":"` + name +
			`","arguments":"` + args + `"}}]}}]}` + "\n\n"
	}
	stream := ": comment\n\nevent: x\n" + piece("0", "one", "{") + piece("1", "two", "[") + piece("0", "", "}") + piece("1", "", "]") +
		`data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}` + "\n\ndata: [DONE]\n\n"
	heard := new(http.Request)
	turn, err := client(t, OpenAI, stream, heard).Ask(t.Context(), talk, nil)
	require.NoError(t, err)
	require.Equal(t, []Call{{"one", "one", "{}"}, {"two", "two", "[]"}}, turn.Calls)
	require.Equal(t, []int64{3, 4}, []int64{turn.In, turn.Out})
	require.Equal(t, "/chat/completions", heard.URL.Path)
	body := sent(t, heard)
	require.Equal(t, true, body["stream"])
	require.EqualValues(t, 7, body["max_tokens"])
	require.Len(t, body["messages"], 5, "the system's word is the first message")
}

// Anthropic wants results of tools in one message of the user, the system's word apart, and arguments as an object.
func TestAConversationIsWrittenAsAnthropicWants(t *testing.T) {
	t.Parallel()
	heard := new(http.Request)
	_, err := client(t, Anthropic, `data: {"type":"message_stop"}`+"\n", heard).Ask(t.Context(), talk, nil)
	require.NoError(t, err)
	require.Equal(t, "/v1/messages", heard.URL.Path)
	require.Equal(t, "k", heard.Header.Get("X-Api-Key"))
	require.NotEmpty(t, heard.Header.Get("Anthropic-Version"))
	body := sent(t, heard)
	require.Equal(t, "be short", body["system"])
	messages, _ := body["messages"].([]any)
	require.Len(t, messages, 3)
	text, err := json.Marshal(messages)
	require.NoError(t, err)
	require.Contains(t, string(text), `"input":{"x":1}`)
	require.Contains(t, string(text), `"input":{}`, "broken arguments become none")
	require.Equal(t, 2, strings.Count(string(text), "tool_result"))
}

// Tokens that a model does not tell of are estimated, so that the caps hold for it too.
func TestTokensAreEstimated(t *testing.T) {
	t.Parallel()
	turn, err := client(t, OpenAI, `data: {"choices":[{"delta":{"content":"12345678"},"finish_reason":"stop"}]}`+"\n\n",
		new(http.Request)).Ask(t.Context(), talk, nil)
	require.NoError(t, err)
	require.Positive(t, turn.In)
	require.EqualValues(t, 3, turn.Out)
}

// A caller who gives up is no fault of the model.
func TestAGivenUpAskIsNoFault(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := client(t, OpenAI, "", new(http.Request)).Ask(ctx, talk, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// An address outside the reach is never called.
func TestAnAddressOutsideTheReachIsRefused(t *testing.T) {
	t.Parallel()
	network, err := outbound.Through("")
	require.NoError(t, err)
	for _, address := range []string{"http://127.0.0.1:1", "http://169.254.169.254", "file:///etc/passwd", "::"} {
		made := New(network, Account{Kind: OpenAI, Address: address, Reach: outbound.Private}, clockwork.NewRealClock(),
			Limits{Whole: time.Second, Idle: time.Second})
		_, err := made.Ask(t.Context(), talk, nil)
		require.Error(t, err, address)
	}
}

// Whatever a stream holds, reading it ends, within the bounds, and with one of the known errors.
func FuzzStreams(f *testing.F) {
	f.Add(`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"x"}}]}}]}`)
	f.Add(`data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"x"}}`)
	f.Fuzz(func(t *testing.T, stream string) {
		for _, take := range []func(*Turn, []byte) error{(*Turn).openAI, (*Turn).anthropic} {
			turn := new(Turn)
			err := events(strings.NewReader(stream), func(data []byte) error { return take(turn, data) })
			if err != nil {
				require.True(t, errors.Is(err, ErrUnreadable) || errors.Is(err, ErrCut) || errors.Is(err, ErrTooLong), "%v", err)
			}
			require.LessOrEqual(t, len(turn.Calls), mostCalls)
		}
	})
}
