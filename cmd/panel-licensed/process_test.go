package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"panel/cmd/panel-licensed/internal/server"
	"panel/platform/licensedoc"
)

var binary string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "panel-licensed")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(folder, "panel-licensed")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

type program struct {
	*testing.T
	data string
}

func (p program) run(stdin string, args ...string) string {
	p.Helper()
	out, err := p.try(stdin, args...)
	require.NoError(p, err, out)
	return out
}

func (p program) try(stdin string, args ...string) (string, error) {
	cmd := exec.Command(binary, append(args, "--data", p.data)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// serve starts the server and gives its address.
func (p program) serve() (*exec.Cmd, string) {
	p.Helper()
	cmd := exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--data", p.data)
	out, err := cmd.StdoutPipe()
	require.NoError(p, err)
	require.NoError(p, cmd.Start())
	p.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(p, err)
	return cmd, "http://" + strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
}

func (p program) activate(address, key, instance string) licensedoc.Document {
	p.Helper()
	body, err := json.Marshal(licensedoc.Request{Key: key, InstanceID: instance, Nonce: "0123456789abcdef"})
	require.NoError(p, err)
	reply, err := http.Post(address+licensedoc.ActivatePath, "application/json", bytes.NewReader(body))
	require.NoError(p, err)
	defer reply.Body.Close()
	var answer licensedoc.Reply
	require.NoError(p, json.NewDecoder(reply.Body).Decode(&answer))
	trusted, err := licensedoc.ParsePublicKey(p.run("", "public-key"))
	require.NoError(p, err)
	d, err := licensedoc.Verify(answer.Document, trusted)
	require.NoError(p, err)
	return d
}

func TestTheCommandLineWorksBesideTheServer(t *testing.T) {
	t.Parallel()
	p := program{t, t.TempDir()}
	_, address := p.serve()
	var issued server.Issued
	require.NoError(t, json.Unmarshal([]byte(p.run("", "issue", "--json", "--plan", "Pro")), &issued))
	instance := uuid.NewString()
	require.Equal(t, licensedoc.Active, p.activate(address, issued.Key, instance).Verdict)
	require.Contains(t, p.run("", "list"), "1 of 1")
	require.NotContains(t, p.run("", "list"), issued.Key)
	p.run("", "rotate")
	require.Equal(t, licensedoc.Active, p.activate(address, issued.Key, instance).Verdict)
	require.Contains(t, p.run("", "extend", issued.ID, "2040-01-01"), "2040-01-01")
	require.Contains(t, p.run("", "revoke", issued.ID), "revoked")
	require.Equal(t, licensedoc.ReasonRevoked, p.activate(address, issued.Key, instance).Reason)
	_, err := p.try(issued.Key, "offline", "--instance", instance)
	require.Error(t, err, "no document for a revoked license")
}

func TestAKeyIsOneLineForScripts(t *testing.T) {
	t.Parallel()
	p := program{t, t.TempDir()}
	key := strings.TrimSpace(p.run("", "issue"))
	_, err := licensedoc.ParseKey(key)
	require.NoError(t, err)
	document := p.run(key+"\n", "offline", "--instance", uuid.NewString())
	require.True(t, licensedoc.LooksSigned(document))
}

// Nothing acknowledged is lost: what the authority signed is still known after a kill -9.
func TestActivationsSurviveAKill(t *testing.T) {
	t.Parallel()
	p := program{t, t.TempDir()}
	var issued server.Issued
	require.NoError(t, json.Unmarshal([]byte(p.run("", "issue", "--json", "--activations", "5")), &issued))
	for range 5 {
		cmd, address := p.serve()
		require.Equal(t, licensedoc.Active, p.activate(address, issued.Key, uuid.NewString()).Verdict)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
	}
	_, address := p.serve()
	require.Equal(t, licensedoc.ReasonActivations, p.activate(address, issued.Key, uuid.NewString()).Reason)
}

func TestItStopsCleanlyAndNamesATakenAddress(t *testing.T) {
	t.Parallel()
	p := program{t, t.TempDir()}
	cmd, address := p.serve()
	out, err := p.try("", "serve", "--listen", strings.TrimPrefix(address, "http://"))
	require.Error(t, err)
	require.Contains(t, out, "--listen")
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
	info, err := os.Stat(filepath.Join(p.data, "admin-token"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}
