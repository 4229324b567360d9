package operator

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/cli"
)

var update = flag.Bool("update", false, "write the golden files anew")

const license = `{"state":"grace","reason":"unreachable","read_only":false,"plan":"Pro","valid_until":"2027-03-01T00:00:00Z","grace_until":"2027-01-01T00:00:00Z",
	"last_check":{"at":"2026-11-20T03:02:00Z","ok":false,"error":"timeout"},"next_check_at":"2026-11-20T03:17:00Z",
	"features":{"enabled":["flows","health","statuspage"],"blocked":["assistant"]},"key_masked":"PNL-••••-••••-7F3A","instance_id":"0193"}`

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// places are the states of a panel that the commands of modules are asked in.
var places = map[string]http.HandlerFunc{
	"up":        says(200, license),
	"down":      nil,
	"forbidden": says(403, `{"status":403,"code":"permission_denied","detail":"this needs license.manage","request_id":"r1"}`),
	"conflict":  says(409, `{"status":409,"code":"license_missing","detail":"there is no license","request_id":"r1"}`),
}

var asked = []string{
	"license", "license status", "license info", "license activate", "license activate PNL-AAAA-BBBB-CCCC", "license refresh", "license remove", "license remove --yes",
	"admin", "help license", "help admin", "license status extra",
}

// Every command that modules bring says in every form and both languages exactly what its golden file says.
func TestGoldenFilesOfTheModulesCommands(t *testing.T) {
	t.Parallel()
	for place, handler := range places {
		for _, command := range asked {
			for _, form := range []string{"table", "plain", "json"} {
				for _, language := range []string{"en", "ru"} {
					name := place + "_" + strings.ReplaceAll(command, " ", "_") + "." + form + "." + language
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						same(t, name, said(t, handler, language, append(strings.Fields(command), "--"+form)))
					})
				}
			}
		}
	}
}

func said(t *testing.T, handler http.HandlerFunc, language string, args []string) string {
	t.Helper()
	address := "http://127.0.0.1:1"
	if handler != nil {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		address = server.URL
	}
	values := map[string]string{"PANEL_API_URL": address, "PANEL_API_TOKEN": "secret", "PANEL_LANG": language, "LANG": "C.UTF-8"}
	var out, problems bytes.Buffer
	env := app.CommandLine(cli.Env{Version: "1.4.2", In: strings.NewReader(""), Out: &out, Err: &problems, Getenv: func(name string) string { return values[name] }}, modules.All())
	exit := cli.Run(context.Background(), env, args)
	text := fmt.Sprintf("exit %d\n--- stdout\n%s--- stderr\n%s", exit, out.String(), problems.String())
	for _, pattern := range passing {
		text = pattern.ReplaceAllString(text, "${1}0")
	}
	return strings.ReplaceAll(text, address, "http://localhost:8080")
}

// passing is what goes by with the time of the day.
var passing = []*regexp.Regexp{
	regexp.MustCompile(`(grace \()\d+`), regexp.MustCompile(`(осталось )\d+`), regexp.MustCompile(`(\(in )\d+`), regexp.MustCompile(`(через )\d+`), regexp.MustCompile(`(ещё )\d+`),
}

func same(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test ./e2e/operator -update")
	require.Equal(t, string(want), text)
}
