package program

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/identity"
	"panel/cmd/panel-agent/internal/link"
	"panel/platform/agentapi"
)

func enrolPanel(t *testing.T) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked agentapi.EnrollRequest
		if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Token != "enrol-secret" || r.URL.RawQuery != "" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"code":"enrollment_token_invalid","detail":"the token is not valid"}`))
			return
		}
		calls.Add(1)
		_ = json.NewEncoder(w).Encode(agentapi.EnrollReply{
			NodeID: "node-1", AgentToken: "agent-secret",
			HeartbeatSeconds: 15,
		})
	}))
	t.Cleanup(server.Close)
	return server, &calls
}

func execute(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	cmd := root(Build{Version: "test"})
	var out bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	err := cmd.Execute()
	return out.String(), err
}

func TestEnrolmentTakesItsTokenFromInputOrFileAndShowsNoSecret(t *testing.T) {
	t.Parallel()
	server, calls := enrolPanel(t)
	dir := filepath.Join(t.TempDir(), "data")
	out, err := execute(t, "enrol-secret\n", "enroll", "--panel", server.URL+"/", "--data", dir, "--token-stdin")
	require.NoError(t, err)
	require.Contains(t, out, "node-1")
	require.NotContains(t, out, "secret")
	id, err := identity.Load(dir)
	require.NoError(t, err)
	require.Equal(t, identity.Identity{NodeID: "node-1", Token: "agent-secret", PanelURL: server.URL}, id)

	out, err = execute(t, "", "enroll", "--panel", server.URL, "--data", dir)
	require.NoError(t, err, "enrolling an enrolled agent changes nothing")
	require.Contains(t, out, "already enrolled")
	require.EqualValues(t, 1, calls.Load())

	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("enrol-secret"), 0o600))
	_, err = execute(t, "", "enroll", "--panel", server.URL, "--data", dir, "--token-file", file, "--again")
	require.NoError(t, err)
	require.EqualValues(t, 2, calls.Load())
}

func TestARefusedTokenIsSaidOnceAndNotEchoed(t *testing.T) {
	t.Parallel()
	server, _ := enrolPanel(t)
	_, err := execute(t, "wrong-secret", "enroll", "--panel", server.URL, "--data", t.TempDir(), "--token-stdin")
	require.ErrorContains(t, err, "enrollment_token_invalid")
	require.NotContains(t, err.Error(), "wrong-secret")
}

func TestWithoutATokenItSaysWhereToGiveOne(t *testing.T) {
	t.Parallel()
	_, err := execute(t, "", "enroll", "--panel", "http://127.0.0.1:1", "--data", t.TempDir(), "--token-stdin")
	require.ErrorContains(t, err, "--token-file")
}

func TestRunBeforeEnrolmentSaysWhatToDo(t *testing.T) {
	t.Parallel()
	_, err := execute(t, "", "run", "--data", t.TempDir())
	require.ErrorIs(t, err, identity.ErrNotEnrolled)
}

// A whole rack behind one address is let in one by one: who is told to wait does so, however often.
func TestEnrolmentWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == agentapi.PathUpdate:
			_ = json.NewEncoder(w).Encode(agentapi.Update{PublicKey: shownKey})
		case asked.Add(1) <= 2:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"code":"throttled","detail":"wait"}`))
		default:
			_ = json.NewEncoder(w).Encode(agentapi.EnrollReply{NodeID: "node-1", AgentToken: "agent-secret"})
		}
	}))
	t.Cleanup(server.Close)
	client := link.NewClient(server.URL, "", server.Client())
	reply, err := enrollPatiently(t.Context(), client, describe(Build{}, "token", ""))
	require.NoError(t, err)
	require.Equal(t, "node-1", reply.NodeID)
	require.EqualValues(t, 3, asked.Load())
}

const (
	shownKey = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"
	givenKey = "RWTx5Zr1tiHQLwG9keckT0c45M3AGeHD6IvimQHpyRywVWGbP1aVSGav"
)

// The key of the install line counts, whatever the panel shows; without one the panel's is kept, and that is said.
func TestTheKeyOfUpdatesComesWithTheInstallLine(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == agentapi.PathUpdate {
			_ = json.NewEncoder(w).Encode(agentapi.Update{PublicKey: shownKey})
			return
		}
		_ = json.NewEncoder(w).Encode(agentapi.EnrollReply{NodeID: "node-1", AgentToken: "agent-secret"})
	}))
	t.Cleanup(server.Close)
	kept := func(dir string) string {
		raw, err := os.ReadFile(filepath.Join(dir, "update", "trusted.pub"))
		require.NoError(t, err)
		return strings.TrimSpace(string(raw))
	}
	given, shown := t.TempDir(), t.TempDir()
	out, err := execute(t, "token", "enroll", "--panel", server.URL, "--data", given, "--token-stdin", "--update-key",
		givenKey)
	require.NoError(t, err)
	require.Equal(t, givenKey, kept(given))
	require.NotContains(t, out, shownKey)
	out, err = execute(t, "token", "enroll", "--panel", server.URL, "--data", shown, "--token-stdin")
	require.NoError(t, err)
	require.Equal(t, shownKey, kept(shown))
	require.Contains(t, out, "no --update-key was given")
	_, err = execute(t, "", "enroll", "--panel", server.URL, "--data", shown, "--update-key", givenKey)
	require.NoError(t, err, "the line of today's panel, run again, brings the key to a server that is enrolled")
	require.Equal(t, givenKey, kept(shown))
	_, err = execute(t, "token", "enroll", "--panel", server.URL, "--data", t.TempDir(), "--token-stdin",
		"--update-key",
		"no key")
	require.ErrorContains(t, err, "--update-key")
}
