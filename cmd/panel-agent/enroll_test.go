package main

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
		_ = json.NewEncoder(w).Encode(agentapi.EnrollReply{NodeID: "node-1", AgentToken: "agent-secret", HeartbeatSeconds: 15})
	}))
	t.Cleanup(server.Close)
	return server, &calls
}

func execute(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	cmd := root()
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
