package cdndns

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"panel/platform/cli"
)

// called is what a command line did.
type called struct {
	exit  int
	out   string
	calls []string // method, path and body
}

// panelctl runs one command line about certificates against a panel that answers with one.
func panelctl(t *testing.T, args ...string) called {
	t.Helper()
	return command(t, "", func(string) string {
		return `{"id": "1", "names": ["n1.example.com"], "state": "valid", "last_error": ""}`
	}, append([]string{"certs"}, args...)...)
}

// command runs one command line of the module against a panel that answers a method and an address as it is told.
func command(t *testing.T, in string, answer func(call string) string, args ...string) called {
	t.Helper()
	var done called
	panel := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		call := r.Method + " " + r.URL.RequestURI()
		done.calls = append(done.calls, strings.TrimSpace(call+" "+string(body)))
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer(call))
	}))
	t.Cleanup(panel.Close)
	var out bytes.Buffer
	env := cli.Env{
		In: strings.NewReader(in), Out: &out, Err: &out, Getenv: func(name string) string {
			return map[string]string{"PANEL_API_URL": panel.URL, "PANEL_API_TOKEN": "token"}[name]
		},
		Commands: []func(cli.Env) []*cobra.Command{commands},
	}
	done.exit = cli.Run(context.Background(), env, args)
	done.out = out.String()
	return done
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pem")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// The key goes to the panel and nowhere else: not into what is printed, not into an argument.
func TestAnUploadHandsOverChainAndKey(t *testing.T) {
	t.Parallel()
	done := panelctl(t, "upload", file(t, "the chain"), file(t, "the secret"))
	require.Equal(t, cli.ExitDone, done.exit, done.out)
	require.Equal(t, []string{`POST /api/v1/certificates {"chain":"the chain","key":"the secret"}`}, done.calls)
	require.Contains(t, done.out, "n1.example.com\tvalid")
	require.NotContains(t, done.out, "the secret")
}

func TestAFileThatIsNoCertificateIsNotSent(t *testing.T) {
	t.Parallel()
	for _, path := range []string{file(t, strings.Repeat("x", mostPEM+1)), filepath.Join(t.TempDir(), "none")} {
		done := panelctl(t, "upload", path, file(t, "the secret"))
		require.Equal(t, cli.ExitUsage, done.exit)
		require.Contains(t, done.out, path)
		require.Empty(t, done.calls)
	}
}

func TestARemovalIsConfirmed(t *testing.T) {
	t.Parallel()
	require.Empty(t, panelctl(t, "remove", "1").calls)
	done := panelctl(t, "remove", "1", "--yes")
	require.Equal(t, cli.ExitDone, done.exit)
	require.Equal(t, []string{"DELETE /api/v1/certificates/1"}, done.calls)
}

func TestARenewalIsOrdered(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"POST /api/v1/certificates/1/renew"}, panelctl(t, "renew", "1").calls)
}
