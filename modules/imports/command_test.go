package imports

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/reading"
	"panel/modules/imports/internal/xui"
	"panel/platform/cli"
	"panel/platform/httpapi"
)

// The process that reads a database is the one of the test started again.
func TestMain(m *testing.M) {
	if slices.Equal(os.Args[1:], []string{"flows", "read-database"}) {
		env := cli.Env{Getenv: os.Getenv, Commands: []func(cli.Env) []*cobra.Command{commands}}
		os.Exit(cli.Run(context.Background(), env, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// called is what a command line did.
type called struct {
	exit   int
	out    string
	calls  []string // method and address
	bodies []string
}

const twoEntries = `{"id":"i1","format":"xray","entries":[
	{"key":"a","name":"First","protocol":"vless","port":"443","clients":2,"problems":[]},
	{"key":"b","name":"Second","protocol":"trojan","port":"8443","clients":1,"problems":[]},
	{"key":"c","name":"Third","off":true,"protocol":"vmess","port":"80","problems":[]}],
	"clients":3,"findings":[{"path":"inbounds[1].protocol","code":"protocol_not_supported",
	"reason":"flows do not speak this protocol","what":"wireguard"}],
	"flows":[],"created_at":"2026-02-01T00:00:00Z","expires_at":"2026-02-01T01:00:00Z"}`

// panelctl runs one command line against a panel that has read two entries, and a third one that was switched off.
func panelctl(t *testing.T, in string, args ...string) called {
	t.Helper()
	var done called
	panel := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		done.calls = append(done.calls, r.Method+" "+strings.TrimPrefix(r.URL.RequestURI(), "/api/v1"))
		done.bodies = append(done.bodies, string(body))
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case strings.HasPrefix(r.URL.Path, "/api/v1/nodes"):
			_, _ = io.WriteString(w, `{"items":[{"id":"n1","name":"fra-01"}],"next_cursor":null}`)
		default:
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, twoEntries)
		}
	}))
	t.Cleanup(panel.Close)
	var out bytes.Buffer
	env := cli.Env{
		In: strings.NewReader(in), Out: &out, Err: &out, Getenv: func(name string) string {
			return map[string]string{"PANEL_API_URL": panel.URL, "PANEL_API_TOKEN": "token"}[name]
		},
		Commands: []func(cli.Env) []*cobra.Command{commands},
	}
	done.exit = cli.Run(context.Background(), env, append([]string{"flows", "import"}, args...))
	done.out = out.String()
	return done
}

// file makes a file of a text that is as long as size says, with nothing behind the text.
func file(t *testing.T, text []byte, size int64) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, text, 0o600))
	require.NoError(t, os.Truncate(name, max(size, int64(len(text)))))
	return name
}

// taken is the choice that the last call has made.
func (c called) taken(t *testing.T) (choice Take) {
	t.Helper()
	require.Equal(t, "POST /flow-imports/i1/flows", c.calls[len(c.calls)-1], c.out)
	require.NoError(t, json.Unmarshal([]byte(c.bodies[len(c.bodies)-1]), &choice))
	return choice
}

// A file is sent as it is; what was not switched off becomes flows, and what could not be read is told.
func TestAFileIsSentAndTaken(t *testing.T) {
	t.Parallel()
	done := panelctl(t, "", file(t, []byte("the file"), 0))
	require.Equal(t, cli.ExitDone, done.exit, done.out)
	require.Equal(t, "POST /flow-imports", done.calls[0])
	require.Equal(t, "the file", done.bodies[0])
	require.Equal(t, []Taken{{Key: "a", Name: "First"}, {Key: "b", Name: "Second"}}, done.taken(t).Entries)
	require.Contains(t, done.out, "inbounds[1].protocol wireguard: flows do not speak this protocol")
}

// Looking alone leaves nothing behind: the panel forgets what was read.
func TestALookMakesNothing(t *testing.T) {
	t.Parallel()
	done := panelctl(t, "", file(t, []byte("x"), 0), "--dry-run")
	require.Equal(t, cli.ExitDone, done.exit, done.out)
	require.Equal(t, []string{"POST /flow-imports", "DELETE /flow-imports/i1"}, done.calls)
	for _, name := range []string{"First", "Second", "Third"} {
		require.Contains(t, done.out, name)
	}
}

func TestEntriesANameAndANodeAreChosen(t *testing.T) {
	t.Parallel()
	name := file(t, []byte("x"), 0)
	choice := panelctl(t, "", name, "--entry", "c", "--entry", "a").taken(t)
	require.Equal(t, []Taken{{Key: "a", Name: "First"}, {Key: "c", Name: "Third"}}, choice.Entries, "also a switched-off one")
	choice = panelctl(t, "", name, "--entry", "b", "--name", "Mine", "--node", "fra-01").taken(t)
	require.Equal(t, Take{NodeID: "n1", Entries: []Taken{{Key: "b", Name: "Mine"}}}, choice)
}

// A choice that cannot be made makes nothing.
func TestAWrongChoiceMakesNothing(t *testing.T) {
	t.Parallel()
	name := file(t, []byte("x"), 0)
	for said, args := range map[string][]string{
		"nothing that was read has the key z":               {"--entry", "a", "--entry", "z"},
		"--name is for one entry: choose it with --entry":   {"--name", "Mine"},
		"there is no node with the name ams-01":             {"--node", "ams-01"},
		"name a file, or the address of a panel with --add": {"--address", "https://panel.example"},
	} {
		done := panelctl(t, "", append([]string{name}, args...)...)
		require.NotEqual(t, cli.ExitDone, done.exit, said)
		require.Contains(t, done.out, said)
		require.NotContains(t, done.calls, "POST /flow-imports/i1/flows")
	}
	require.Equal(t, cli.ExitUsage, panelctl(t, "").exit)
}

// What is no file is not sent, nor does the command wait for it.
func TestWhatIsNoFileIsNotSent(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, reason := range map[string]string{
		filepath.Join(folder, "none"): "no such file", folder: "it is no file", "/dev/zero": "it is no file",
	} {
		done := panelctl(t, "", name)
		require.Equal(t, cli.ExitFailed, done.exit, done.out)
		require.Contains(t, done.out, "cannot read "+name)
		require.Contains(t, done.out, reason)
		require.Empty(t, done.calls)
	}
}

// A database that is larger than the panel takes is read where it lies, and only what becomes of it is sent; the panel
// reads that as if it had read the database itself.
func TestADatabaseAboveTheLimitIsReadHere(t *testing.T) {
	t.Parallel()
	packed, err := os.Open("internal/xui/testdata/x-ui.db.gz")
	require.NoError(t, err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	raw, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	done := panelctl(t, "", file(t, raw, httpapi.MaxUpload+4096), "--dry-run", "--verbose")
	require.Equal(t, cli.ExitDone, done.exit, done.out)
	require.Contains(t, done.out, "it is larger than the panel takes")
	require.Less(t, len(done.bodies[0]), 1<<20)
	sent := done.bodies[0]
	require.Contains(t, sent, foreign.Schema)
	there, err := reading.Text([]byte(sent))
	require.NoError(t, err)
	here, err := xui.Database(t.Context(), bytes.NewReader(raw), int64(len(raw)))
	require.NoError(t, err)
	require.Equal(t, here, there)
}

// Any other file of this size is refused where it lies.
func TestAnotherFileAboveTheLimitIsRefusedHere(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]error{
		`{"inbounds":[]}`: reading.ErrTooLarge, "SQLite format 3\x00": reading.ErrBroken,
	} {
		name := file(t, []byte(text), httpapi.MaxUpload+1)
		done := panelctl(t, "", name)
		require.Equal(t, cli.ExitFailed, done.exit, done.out)
		require.Contains(t, done.out, "cannot read "+name)
		require.Contains(t, done.out, reason.Error())
		require.Empty(t, done.calls)
	}
	done := panelctl(t, "", file(t, []byte("x"), httpapi.MaxUpload), "--dry-run")
	require.Equal(t, cli.ExitDone, done.exit, "the panel itself takes as much")
}

// The secret of another panel is asked for and never an argument: a token, or with --user a password.
func TestAnotherPanelIsReadWithASecretThatIsAskedFor(t *testing.T) {
	t.Parallel()
	const address = "https://panel.example/base"
	for _, one := range []struct {
		args     []string
		question string
		sent     Outside
	}{
		{nil, "API token of " + address, Outside{Address: address, Token: "s3cret"}},
		{
			[]string{"--user", "admin"},
			"Password of admin",
			Outside{Address: address, Username: "admin", Password: "s3cret"},
		},
	} {
		done := panelctl(t, "s3cret\n", append([]string{"--dry-run", "--address", address}, one.args...)...)
		require.Equal(t, cli.ExitDone, done.exit, done.out)
		require.Contains(t, done.out, one.question)
		require.NotContains(t, done.out, "s3cret")
		require.Equal(t, "POST /flow-imports/outside", done.calls[0])
		var sent Outside
		require.NoError(t, json.Unmarshal([]byte(done.bodies[0]), &sent))
		require.Equal(t, one.sent, sent)
	}
}
