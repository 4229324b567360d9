package model

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/outbound"
)

// taken is what a turn becomes by some events, one after the other.
func taken(take func(*Turn, []byte) error, events ...string) (turn Turn, err error) {
	for _, one := range events {
		err = errors.Join(err, take(&turn, []byte(one)))
	}
	return turn, err
}

func names(count int, piece func(i int) string) (events []string) {
	for i := range count {
		events = append(events, piece(i))
	}
	return events
}

func openAIPiece(index int, args string) string {
	return fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"index":%d,"function":{"name":"n","arguments":%q}}]}}]}`, index, args)
}

func anthropicStart(index int) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"i","name":"n"}}`, index)
}

func anthropicArgs(index int, args string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%q}}`, index, args)
}

// Server-sent events are lines of data; all else in them is passed over, however lines end and pieces arrive.
func TestEventsAreTheLinesOfData(t *testing.T) {
	t.Parallel()
	stream := ": hello\nevent: x\nid: 7\ndata: a\n\ndata:b\r\n\r\ndata:\ndata:   \nretry: 5\n data: c\nDATA: d\n\ndata: last"
	for name, from := range map[string]io.Reader{
		"at once": strings.NewReader(stream), "letter by letter": iotest.OneByteReader(strings.NewReader(stream)),
		"with the end": iotest.DataErrReader(strings.NewReader(stream)),
	} {
		var heard []string
		require.NoError(t, events(from, func(data []byte) error {
			heard = append(heard, string(data))
			return nil
		}), name)
		require.Equal(t, []string{"a", "b", "last"}, heard, name)
	}
	count := 0
	err := events(strings.NewReader("data: a\ndata: b\n"), func([]byte) error { count++; return ErrUnreadable })
	require.ErrorIs(t, err, ErrUnreadable)
	require.Equal(t, 1, count, "what follows is not looked at")
	nothing := func([]byte) error { return nil }
	require.ErrorIs(t, events(strings.NewReader("data: "+strings.Repeat("x", mostLine)), nothing), ErrTooLong)
	require.ErrorIs(t, events(iotest.ErrReader(io.ErrUnexpectedEOF), nothing), io.ErrUnexpectedEOF)
}

// What a model of OpenAI's kind says is taken as it is meant: what is null or unknown says nothing, and what cannot be
// is refused.
func TestWhatOpenAISaysIsTaken(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", mostArgs)
	for name, test := range map[string]struct {
		events []string
		want   Turn
		err    error
	}{
		"nulls":         {[]string{`{"choices":[{"delta":{"content":null},"finish_reason":null}],"usage":null,"error":null}`}, Turn{}, nil},
		"nothing":       {[]string{`{}`, `{"choices":[]}`, `null`}, Turn{}, nil},
		"more than ask": {[]string{`{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"a","x":1}}]}`}, Turn{Text: "a"}, nil},
		"two choices":   {[]string{`{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}`}, Turn{Text: "ab"}, nil},
		"the reason":    {[]string{`{"choices":[{"finish_reason":"length"}]}`}, Turn{end: true}, nil},
		"the last word": {[]string{`[DONE]`}, Turn{end: true}, nil},
		"usage": {
			[]string{`{"usage":{"prompt_tokens":1,"completion_tokens":2}}`, `{"usage":{"prompt_tokens":5,"completion_tokens":9}}`},
			Turn{In: 5, Out: 9},
			nil,
		},
		"usage below zero": {[]string{`{"usage":{"prompt_tokens":-1,"completion_tokens":-2}}`}, Turn{}, nil},
		"as many arguments as may be": {
			[]string{openAIPiece(0, full)}, Turn{Calls: []Call{{Name: "n", Args: full}}}, nil,
		},
		"more arguments":      {[]string{openAIPiece(0, full), openAIPiece(0, "x")}, Turn{}, ErrTooLong},
		"a tool left out":     {[]string{openAIPiece(1, "")}, Turn{}, ErrUnreadable},
		"a tool below zero":   {[]string{openAIPiece(-1, "")}, Turn{}, ErrUnreadable},
		"too many tools":      {names(mostCalls+1, func(i int) string { return openAIPiece(i, "") }), Turn{}, ErrUnreadable},
		"an error":            {[]string{`{"error":{"message":"x"}}`}, Turn{}, ErrCut},
		"an error in a word":  {[]string{`{"error":"overloaded"}`}, Turn{}, ErrCut},
		"a list":              {[]string{`[]`}, Turn{}, ErrUnreadable},
		"half of an event":    {[]string{`{"choices":[{"delta":`}, Turn{}, ErrUnreadable},
		"a number for a text": {[]string{`{"choices":[{"delta":{"content":7}}]}`}, Turn{}, ErrUnreadable},
	} {
		turn, err := taken((*Turn).openAI, test.events...)
		if test.err != nil {
			require.ErrorIs(t, err, test.err, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, test.want, turn, name)
	}
}

// Anthropic's way: arguments name the block that they belong to, and only blocks that are tools take any.
func TestWhatAnthropicSaysIsTaken(t *testing.T) {
	t.Parallel()
	text := `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	for name, test := range map[string]struct {
		events []string
		want   Turn
		err    error
	}{
		"what is new": {[]string{`{"type":"ping"}`, `{"type":"of_tomorrow","index":9}`, `{}`, text}, Turn{}, nil},
		"usage": {
			[]string{
				`{"type":"message_start","message":{"usage":{"input_tokens":50,"output_tokens":1}}}`,
				`{"type":"message_delta","usage":{"output_tokens":9}}`, `{"type":"message_delta","usage":{"output_tokens":3}}`,
			},
			Turn{In: 50, Out: 9},
			nil,
		},
		"usage below zero": {
			[]string{`{"type":"message_start","message":{"usage":{"input_tokens":-5}}}`, `{"type":"message_delta","usage":{"output_tokens":-9}}`},
			Turn{},
			nil,
		},
		"blocks mixed": {
			[]string{text, anthropicStart(1), anthropicStart(4), anthropicArgs(4, "{"), anthropicArgs(1, "["), anthropicArgs(4, "}")},
			Turn{Calls: []Call{{"i", "n", "["}, {"i", "n", "{}"}}, blocks: map[int]int{1: 0, 4: 1}},
			nil,
		},
		"the last word":           {[]string{`{"type":"message_stop"}`}, Turn{end: true}, nil},
		"arguments to a text":     {[]string{text, anthropicArgs(0, "{}")}, Turn{}, ErrUnreadable},
		"arguments to nothing":    {[]string{anthropicArgs(2, "{}")}, Turn{}, ErrUnreadable},
		"more arguments":          {[]string{anthropicStart(0), anthropicArgs(0, strings.Repeat("x", mostArgs+1))}, Turn{}, ErrTooLong},
		"too many tools":          {names(mostCalls+1, anthropicStart), Turn{}, ErrUnreadable},
		"an error":                {[]string{`{"type":"error","error":{"type":"overloaded_error"}}`}, Turn{}, ErrCut},
		"half of an event":        {[]string{`{"type":"message_st`}, Turn{}, ErrUnreadable},
		"a text instead of usage": {[]string{`{"type":"message_delta","usage":"much"}`}, Turn{}, ErrUnreadable},
	} {
		turn, err := taken((*Turn).anthropic, test.events...)
		if test.err != nil {
			require.ErrorIs(t, err, test.err, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, test.want, turn, name)
	}
}

// asking is a client of a server that does what a test wants.
func asking(t *testing.T, kind string, clock clockwork.Clock, serve http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	network, err := outbound.Through("")
	require.NoError(t, err)
	made := New(network, Account{Kind: kind, Address: server.URL, Model: "m", Reach: outbound.Configured}, clock,
		Limits{Whole: time.Minute, Idle: time.Minute})
	t.Cleanup(made.Close)
	return made
}

func writes(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// Each failure has the one word that people are told, and a body of an error is nobody's answer.
func TestEachFailureOfAModelHasItsWord(t *testing.T) {
	t.Parallel()
	const half = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n"
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, half)
		}
	}
	for name, test := range map[string]struct {
		serve http.HandlerFunc
		err   error
		said  string
	}{
		"401":    {status(http.StatusUnauthorized), ErrKey, ""},
		"403":    {status(http.StatusForbidden), ErrKey, ""},
		"429":    {status(http.StatusTooManyRequests), ErrBusy, ""},
		"no end": {writes(half), ErrCut, "half"},
		"shorter than it says": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10000")
			_, _ = io.WriteString(w, half)
		}, ErrCut, "half"},
		"not for people": {writes(half + "data: <html>\n\n"), ErrUnreadable, "half"},
		"for ever":       {writes(half + strings.Repeat(": "+strings.Repeat("x", 1<<10)+"\n", 3<<10)), ErrTooLong, "half"},
		"too much": {
			writes(half + `data: {"choices":[{"delta":{"content":"` + strings.Repeat("x", mostText) + `"}}]}` + "\n\n"), ErrTooLong, "half",
		},
	} {
		said := ""
		asked := asking(t, OpenAI, clockwork.NewRealClock(), test.serve)
		turn, err := asked.Ask(t.Context(), talk, func(piece string) { said += piece })
		require.ErrorIs(t, err, test.err, name)
		require.Equal(t, test.said, said, name)
		if test.said != "" {
			require.Positive(t, turn.In+turn.Out, "%s: what was asked has cost something", name)
		}
	}
	broken := asking(t, OpenAI, clockwork.NewRealClock(), status(http.StatusInternalServerError))
	_, err := broken.Ask(t.Context(), talk, nil)
	require.Error(t, err)
	for _, other := range []error{ErrKey, ErrBusy, ErrSilent, ErrCut, ErrUnreadable, ErrTooLong} {
		require.NotErrorIs(t, err, other)
	}
}

// An answer is the same however the network cuts it into pieces, and is heard as it comes.
func TestAnAnswerMayComeInAnyPieces(t *testing.T) {
	t.Parallel()
	for kind, stream := range map[string]string{
		OpenAI: `data: {"choices":[{"delta":{"content":"При"}}]}` + "\n\n" + `data: {"choices":[{"delta":{"content":"вет"}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}` + "\n\n",
		Anthropic: `data: {"type":"message_start","message":{"usage":{"input_tokens":3}}}` + "\n\n" +
			`data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"При"}}` + "\n\n" +
			`data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"вет"}}` + "\n\n" +
			`data: {"type":"message_delta","usage":{"output_tokens":4}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
	} {
		var said []string
		turn, err := asking(t, kind, clockwork.NewRealClock(), func(w http.ResponseWriter, _ *http.Request) {
			for i := range len(stream) {
				_, _ = io.WriteString(w, stream[i:i+1])
				_ = http.NewResponseController(w).Flush()
			}
		}).Ask(t.Context(), talk, func(piece string) { said = append(said, piece) })
		require.NoError(t, err, kind)
		require.Equal(t, []string{"При", "вет"}, said, kind)
		require.Equal(t, "Привет", turn.Text, kind)
		require.Equal(t, []int64{3, 4}, []int64{turn.In, turn.Out}, kind)
	}
}

// Every piece is a sign of life; a model is silent when none has come for as long as it may be.
func TestEveryPieceIsASignOfLife(t *testing.T) {
	t.Parallel()
	clock, next, said := clockwork.NewFakeClock(), make(chan string), make(chan string)
	c := asking(t, OpenAI, clock, func(w http.ResponseWriter, r *http.Request) {
		for {
			select {
			case piece := <-next:
				_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"`+piece+`"}}]}`+"\n\n")
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	})
	ended := make(chan error, 1)
	go func() {
		_, err := c.Ask(t.Context(), talk, func(piece string) { said <- piece })
		ended <- err
	}()
	for _, piece := range []string{"a", "b", "c"} {
		go func() {
			select {
			case next <- piece:
			case <-t.Context().Done():
			}
		}()
		select {
		case heard := <-said:
			require.Equal(t, piece, heard)
		case err := <-ended:
			require.NoError(t, err, "it is not given up while it speaks")
		}
		clock.Advance(time.Minute - time.Second)
	}
	clock.Advance(time.Second)
	require.ErrorIs(t, <-ended, ErrSilent)
}

// What is sent is what each kind of model reads, to the letter.
func TestAConversationIsSentAsItsKindReadsIt(t *testing.T) {
	t.Parallel()
	tool := `{"name":"a","description":"does",%s:{"type":"object"}}`
	for kind, want := range map[string]string{
		OpenAI: `{"model":"m","max_tokens":7,"stream":true,"stream_options":{"include_usage":true},"messages":[
			{"role":"system","content":"be short"}, {"role":"user","content":"hi"},
			{"role":"assistant","content":"look","tool_calls":[
				{"index":0,"id":"1","type":"function","function":{"name":"a","arguments":"{\"x\":1}"}},
				{"index":1,"id":"2","type":"function","function":{"name":"b","arguments":"broken"}}]},
			{"role":"tool","content":"one","tool_call_id":"1"}, {"role":"tool","content":"two","tool_call_id":"2"}],
			"tools":[{"type":"function","function":` + fmt.Sprintf(tool, `"parameters"`) + `}]}`,
		Anthropic: `{"model":"m","max_tokens":7,"stream":true,"system":"be short","messages":[
			{"role":"user","content":[{"type":"text","text":"hi"}]},
			{"role":"assistant","content":[{"type":"text","text":"look"},
				{"type":"tool_use","id":"1","name":"a","input":{"x":1}}, {"type":"tool_use","id":"2","name":"b","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"one"},
				{"type":"tool_result","tool_use_id":"2","content":"two"}]}],
			"tools":[` + fmt.Sprintf(tool, `"input_schema"`) + `]}`,
	} {
		heard, body := http.Header{}, ""
		_, err := asking(t, kind, clockwork.NewRealClock(), func(_ http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			heard, body = r.Header, string(text)
		}).Ask(t.Context(), talk, nil)
		require.ErrorIs(t, err, ErrCut)
		require.JSONEq(t, want, body, kind)
		require.Equal(t, "application/json", heard.Get("Content-Type"))
		require.Equal(t, "text/event-stream", heard.Get("Accept"))
		require.Equal(t, kind == Anthropic, heard.Get("Anthropic-Version") != "")
		require.Empty(t, heard.Get("Authorization")+heard.Get("X-Api-Key"), "without a key none is shown")
	}
}

// Arguments go back to a model of Anthropic's kind as the object that they must be, and are never the reason why it
// reads no further.
func TestArgumentsGoBackAsAnObject(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"subject":"ams-1"}`: `{"subject":"ams-1"}`, `{}`: `{}`, ``: `{}`, `null`: `{}`, `[1]`: `{}`, `"text"`: `{}`, `7`: `{}`,
		`{"x":`: `{}`,
	} {
		require.Equal(t, want, string(object(args)), args)
	}
}

// Tokens that are not told are a quarter of the letters, of what was sent and of what came, also of arguments.
func TestTokensAreAQuarterOfTheLetters(t *testing.T) {
	t.Parallel()
	c, turn := &Client{}, Turn{Text: "12345678", Calls: []Call{{Args: "1234"}, {Args: "1234"}}}
	c.estimate(&turn, talk)
	require.Equal(t, []int64{6, 5}, []int64{turn.In, turn.Out}, "20 bytes were sent and 16 came")
	told := Turn{Text: "12345678", In: 100, Out: 1}
	c.estimate(&told, talk)
	require.Equal(t, []int64{100, 1}, []int64{told.In, told.Out}, "what the model tells counts")
}
