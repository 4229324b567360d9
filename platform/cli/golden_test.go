package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/doctor"
	"panel/platform/logs"
)

var update = flag.Bool("update", false, "write the golden files anew")

// world is what a panel answers during a golden test.
type world struct {
	name    string
	handler http.HandlerFunc // nil: nothing listens
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

const running = `{"status":"running","version":"1.4.2","database":"connected","setup_done":true,"uptime":"12d4h31m","uptime_seconds":1053060}`

func up(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/health":
		answer(200, `{"status":"ok","timestamp":"2026-11-20T11:02:11Z","version":"1.4.2"}`)(w, r)
	case r.Header.Get("Authorization") != "Bearer secret":
		answer(401, `{"status":401,"code":"no_session","detail":"no session","request_id":"r1"}`)(w, r)
	default:
		answer(200, running)(w, r)
	}
}

var worlds = []world{
	{"up", up},
	{"down", nil},
	{"unauthorized", answer(401, `{"status":401,"code":"session_expired","detail":"the session has expired","request_id":"r1"}`)},
	{"forbidden", answer(403, `{"status":403,"code":"permission_denied","detail":"this needs settings.manage","request_id":"r1"}`)},
	{"ill", answer(503, `{"status":"unavailable","timestamp":"2026-11-20T11:02:11Z","version":"1.4.2"}`)},
	{"stopping", answer(200, strings.Replace(running, `"running"`, `"stopping"`, 1))},
	{"foreign", answer(200, `<html>a router</html>`)},
}

var sampleChecks = []doctor.Check{
	check("database.connect", "database", "connection", doctor.Finding{Status: doctor.OK, Found: doctor.Say("connection refused")}),
	check("disk.data", "disk", "/opt/panel/data", doctor.Finding{Status: doctor.Failed, Found: doctor.Say("no answer within %d s", 5), Do: doctor.Say("run the diagnosis again")}),
	check("disk.logs", "disk", "/var/log/panel", doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("%s", "nothing to look at")}),
}

func check(id, group, title string, finding doctor.Finding) doctor.Check {
	return doctor.Check{ID: id, Group: group, Title: title, Run: func(context.Context, doctor.Env) doctor.Finding { return finding }}
}

// Every command in every form and both languages says exactly what its golden file says, and ends with that exit code.
// Specification, Command-line interface: --api has the "default http://localhost:8080"; status "exits non-zero when status
// is not running"; version asks the running panel "by a live API call"; --level "prints a warning".
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, place := range worlds {
		for _, command := range []string{"status", "version"} {
			eachForm(t, place, command)
		}
	}
	for _, command := range []string{
		"logs", "logs frontend -n 2", "logs worker -n 2 --level error", "logs scheduler", "logs nginx", "logs database", "logs --since soon", "logs -n many",
		"support --preview", "support --since soon", "support --send",
		"help logs", "help support", "help doctor", "help version", "help tui", "help completion", "tui", "doctor --strict", "completion bash extra",
	} {
		eachForm(t, world{name: "down"}, command)
	}
	for _, command := range []string{"", "help", "help status", "help serve", "doctor", "stauts", "--json --plain status", "status --nope", "status --api", "status extra", "completion ksh", "serve", "status --token secret", "status --api ftp://x"} {
		eachForm(t, world{name: "down"}, command)
	}
}

func eachForm(t *testing.T, place world, command string) {
	t.Helper()
	for _, form := range []string{"table", "plain", "json"} {
		for _, language := range []string{"en", "ru"} {
			name := strings.Trim(strings.NewReplacer(" ", "_", "/", "", ":", "").Replace(place.name+"_"+command), "_") + "." + form + "." + language
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				golden(t, name, runIn(t, place, language, strings.Fields(command), formFlag(command, form)))
			})
		}
	}
}

// formFlag leaves the form to the command where it brings its own.
func formFlag(command, form string) string {
	if strings.Contains(command, "--json") || command == "" {
		return ""
	}
	return "--" + form
}

func runIn(t *testing.T, place world, language string, args []string, form string) string {
	t.Helper()
	address := "http://127.0.0.1:1"
	if place.handler != nil {
		server := httptest.NewServer(place.handler)
		t.Cleanup(server.Close)
		address = server.URL
	}
	var out, problems bytes.Buffer
	env := Env{
		Version: "1.4.2", Out: &out, Err: &problems, Checks: sampleChecks, isolated: true,
		Getenv:    lookup(map[string]string{"PANEL_API_URL": address, "PANEL_API_TOKEN": "secret", "PANEL_LANG": language, "LANG": "C.UTF-8", "PANEL_DATA_DIR": "testdata/none"}),
		logPlaces: &logs.Places{PanelFolders: []string{"testdata/none", "testdata/logs"}, NginxFolders: []string{"testdata/none"}},
		Serve:     func(context.Context) error { return fmt.Errorf("listen on 127.0.0.1:8080: address already in use") },
	}
	if form != "" {
		args = append(args, form)
	}
	exit := Run(context.Background(), env, args)
	text := fmt.Sprintf("exit %d\n--- stdout\n%s--- stderr\n%s", exit, out.String(), problems.String())
	return timeless(strings.ReplaceAll(text, address, "http://localhost:8080"))
}

// changing is what the clock and the machine put into an answer.
var changing = []*regexp.Regexp{
	regexp.MustCompile(`("host":")[^"]*(")`), regexp.MustCompile(`("bytes":)[0-9]+()`), regexp.MustCompile(`("(?:created_at|since)":")[^"]*(")`),
	regexp.MustCompile(`((?:Logs since|Журналы с|since)\s+)20[0-9T:Z-]+()`), regexp.MustCompile(`(bytes\t)[0-9]+()`), regexp.MustCompile(`((?:Size|Размер)\s+)[0-9]+( )`),
	regexp.MustCompile(`("masked":)(?:[0-9]+|\{[^}]*\})(,?)`), regexp.MustCompile(`((?:masked\t|Masked +|Скрыто +))[^\n]*()`), regexp.MustCompile(`(\d,\d|\d) (?:s|с)( ?$)`),
}

// timeless replaces what differs from run to run.
func timeless(text string) string {
	for _, member := range []string{`"started_at":"`, `"duration_ms":`} {
		text = blankAfter(text, member)
	}
	for _, pattern := range changing {
		text = pattern.ReplaceAllString(text, "${1}0${2}")
	}
	for _, seconds := range []string{"0.0 s", "0.0 с"} {
		text = strings.ReplaceAll(text, seconds, "0.0 s")
	}
	return text
}

func blankAfter(text, member string) string {
	parts := strings.Split(text, member)
	for i := 1; i < len(parts); i++ {
		parts[i] = "0" + strings.TrimLeft(parts[i], "0123456789-:TZ")
	}
	return strings.Join(parts, member)
}

func lookup(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test ./platform/cli -update")
	require.Equal(t, string(want), text)
}
