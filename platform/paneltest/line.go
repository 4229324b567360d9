package paneltest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

// Line runs one command line against a stand-in of a panel, for what a command asks of its panel and how it says
// it. The answers are by method and address; an address that is not among them has the answer to "*", else an empty
// list, and every DELETE succeeds. It gives the exit code, what was printed, and what the panel was asked.
func Line(
	t *testing.T, commands func(cli.Env) []*cobra.Command, answers map[string]string, args ...string,
) (exit int, out string, calls []string) {
	t.Helper()
	panel := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		call := r.Method + " " + r.URL.RequestURI()
		calls = append(calls, strings.TrimSpace(call+" "+string(body)))
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer, known := answers[call]
		if !known {
			if answer, known = answers["*"]; !known {
				answer = `{"items": []}`
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(panel.Close)
	var printed bytes.Buffer
	env := cli.Env{
		In: strings.NewReader(""), Out: &printed, Err: &printed, Getenv: func(name string) string {
			return map[string]string{"PANEL_API_URL": panel.URL, "PANEL_API_TOKEN": "token"}[name]
		},
		Commands: []func(cli.Env) []*cobra.Command{commands},
	}
	exit = cli.Run(t.Context(), env, args)
	return exit, printed.String(), calls
}
