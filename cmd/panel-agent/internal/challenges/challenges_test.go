package challenges

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
	"panel/platform/testneed/freeport"
)

const host, token, text = "n1.example.org", "a-token_1", "a-token_1.thumb-print"

func newResponder(t *testing.T) *responder {
	t.Helper()
	r := &responder{owner: func(string, string, int) (agentapi.Socket, bool) { return agentapi.Socket{}, false }}
	t.Cleanup(r.stop)
	return r
}

func answers(t *testing.T, port int, all ...agentapi.ChallengeAnswer) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(agentapi.Challenges{Port: port, Answers: all})
	require.NoError(t, err)
	return raw
}

func one() agentapi.ChallengeAnswer {
	return agentapi.ChallengeAnswer{Host: host, Token: token, Text: text}
}

// ask asks as an authority does that has looked the host name up.
func ask(t *testing.T, port int, method, host, path string) (status int, body string) {
	t.Helper()
	address := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + path
	request, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	require.NoError(t, err)
	request.Host = host
	answer, err := new(http.Transport).RoundTrip(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	read, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(read)
}

func free(t *testing.T, port int) {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort("", strconv.Itoa(port)))
	require.NoError(t, err, "nobody listens")
	require.NoError(t, listener.Close())
}

// RFC 8555, 8.3: the body is the key authorization, the type application/octet-stream.
func TestAnAuthorityIsAnsweredWhileThereIsAnAnswer(t *testing.T) {
	t.Parallel()
	r, port := newResponder(t), freeport.For(t)
	require.NoError(t, r.apply(t.Context(), answers(t, port, one())))
	status, body := ask(t, port, http.MethodGet, host, agentapi.ChallengePath+token)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, text, body)
	status, _ = ask(t, port, http.MethodGet, strings.ToUpper(host)+":80", agentapi.ChallengePath+token)
	require.Equal(t, http.StatusOK, status, "host names have no case, and may come with their port")

	next := agentapi.ChallengeAnswer{Host: host, Token: "next", Text: "next.text"}
	require.NoError(t, r.apply(t.Context(), answers(t, port, next)), "while the one before is served")
	status, _ = ask(t, port, http.MethodGet, host, agentapi.ChallengePath+token)
	require.Equal(t, http.StatusNotFound, status, "its answer is gone")
	_, body = ask(t, port, http.MethodGet, host, agentapi.ChallengePath+"next")
	require.Equal(t, "next.text", body)

	require.NoError(t, r.apply(t.Context(), answers(t, port)))
	free(t, port)
}

func TestNothingElseIsAnswered(t *testing.T) {
	t.Parallel()
	r, port := newResponder(t), freeport.For(t)
	require.NoError(t, r.apply(t.Context(), answers(t, port, one())))
	for _, asked := range []struct{ method, host, path string }{
		{http.MethodGet, host, "/"},
		{http.MethodGet, host, agentapi.ChallengePath},
		{http.MethodGet, host, agentapi.ChallengePath + "another"},
		{http.MethodGet, host, agentapi.ChallengePath + token + "/.."},
		{http.MethodGet, "other.example.org", agentapi.ChallengePath + token},
		{http.MethodPost, host, agentapi.ChallengePath + token},
	} {
		status, body := ask(t, port, asked.method, asked.host, asked.path)
		require.Equal(t, http.StatusNotFound, status, asked)
		require.NotContains(t, body, text, asked)
	}
}

func TestWhatIsNoAnswerIsRefusedAndTheOnesBeforeStay(t *testing.T) {
	t.Parallel()
	r, port := newResponder(t), freeport.For(t)
	require.NoError(t, r.apply(t.Context(), answers(t, port, one())))
	for name, raw := range map[string]json.RawMessage{
		"no JSON of the form": json.RawMessage(`{"answers":"x"}`),
		"a token with a way":  answers(t, port, agentapi.ChallengeAnswer{Host: host, Token: "../etc", Text: text}),
		"an answer with HTML": answers(t, port, agentapi.ChallengeAnswer{Host: host, Token: token, Text: "<script>"}),
		"an answer of a page": answers(t, port, agentapi.ChallengeAnswer{Host: host, Token: token, Text: strings.Repeat("a", 1025)}),
		"no port":             answers(t, 0, one()),
		"a port too high":     answers(t, 65536, one()),
	} {
		require.Error(t, r.apply(t.Context(), raw), name)
	}
	_, body := ask(t, port, http.MethodGet, host, agentapi.ChallengePath+token)
	require.Equal(t, text, body)
}

// The panel is told who has the port, and the answer is tried again until it is free.
func TestAPortInUseIsNamedAndTriedAgain(t *testing.T) {
	t.Parallel()
	r, port := newResponder(t), freeport.For(t)
	r.owner = func(_, _ string, asked int) (agentapi.Socket, bool) {
		return agentapi.Socket{Process: "nginx"}, asked == port
	}
	other, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort("", strconv.Itoa(port)))
	require.NoError(t, err)
	require.ErrorContains(t, r.apply(t.Context(), answers(t, port, one())), "in use by nginx")
	require.NoError(t, other.Close())
	require.NoError(t, r.apply(t.Context(), answers(t, port, one())))
	_, body := ask(t, port, http.MethodGet, host, agentapi.ChallengePath+token)
	require.Equal(t, text, body)
}

// What serves clients goes first.
func TestTheCoreGetsThePortThatItNeeds(t *testing.T) {
	t.Parallel()
	r, port := newResponder(t), freeport.For(t)
	require.NoError(t, r.apply(t.Context(), answers(t, port, one())))
	r.release("udp", port)
	r.release("tcp", port+1)
	status, _ := ask(t, port, http.MethodGet, host, agentapi.ChallengePath+token)
	require.Equal(t, http.StatusOK, status, "another port is not its own")
	r.release("tcp", port)
	free(t, port)
	require.NoError(t, r.apply(context.Background(), answers(t, port, one())), "and it answers again when it is asked to")
	status, _ = ask(t, port, http.MethodGet, host, agentapi.ChallengePath+token)
	require.Equal(t, http.StatusOK, status)
}

func TestAnsweringIsACapability(t *testing.T) {
	t.Parallel()
	require.Contains(t, part.Capabilities([]part.Part{Part}), agentapi.Capability("document_challenges"))
}
