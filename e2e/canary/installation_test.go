package canary

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
)

// installation is a whole stand whose every word is kept.
type installation struct {
	*testing.T
	stand  *rig.Stand
	site   *rig.Site
	agent  *rig.Agent
	dsn    string
	book   *book
	places map[string][]byte
	tokens []string // of administrators

	// stranger asks from an address of its own: tokens that nobody knows hold up no administrator.
	stranger *http.Client

	heard  sync.Mutex
	minded []byte // what a language model was sent
	live   []byte // what the live stream told
}

const masterKey = "canary-master-key-Zx81qLw0"

func begin(t *testing.T) *installation {
	t.Helper()
	w := &installation{T: t, book: &book{}, places: map[string][]byte{}, dsn: dbtest.Empty(t)}
	address, err := url.Parse(w.dsn)
	require.NoError(t, err)
	if password, given := address.User.Password(); given {
		w.book.plant(t, "DSN password", password)
	}
	w.book.plant(t, "PANEL_SECRET_KEY", masterKey)
	w.book.plant(t, "administrator's password", rig.Password)
	w.stand = rigtest.Install(t, rig.PanelSettings{DSN: w.dsn, Env: []string{
		"PANEL_SECRET_KEY=" + masterKey, "PANEL_SECRET_KEY_PREVIOUS=" + w.book.plant(t, "PANEL_SECRET_KEY_PREVIOUS",
			"canary-former-key-77GgTtRr"),
		"PANEL_LOG_LEVEL=debug", "PANEL_OUTBOUND_ALLOW=127.0.0.1",
	}})
	w.book.plant(t, "license key", w.stand.Key)
	w.book.plant(t, "session token", w.stand.API.Token)
	w.tokens = []string{w.stand.API.Token}
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 9, 9, 9)}}
	w.stranger = &http.Client{
		Timeout: w.stand.API.HTTP.Timeout, Transport: &http.Transport{DialContext: from.DialContext},
	}
	w.follow()
	w.site, err = rig.OpenSite("127.0.0.1")
	require.NoError(t, err)
	t.Cleanup(w.site.Close)
	return w
}

// answer is what came back, kept under the operation's name.
type answer struct {
	status int
	body   []byte
}

func (a answer) text(t *testing.T, member string) string {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal(a.body, &members), "%s", a.body)
	text, ok := members[member].(string)
	require.True(t, ok && text != "", "no %s in %s", member, a.body)
	return text
}

// call sends anything, also what is no JSON, and keeps answer and headers. The operation names the place.
func (w *installation) call(token, operation, path string, body any) answer {
	w.Helper()
	method, _, _ := strings.Cut(operation, " ")
	var content io.Reader
	switch given := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(given)
	default:
		raw, err := json.Marshal(given)
		require.NoError(w, err)
		content = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(w.Context(), method, w.stand.Panel.URL+path, content)
	require.NoError(w, err)
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	client := w.stand.API.HTTP
	if token != "" && !slices.Contains(w.tokens, token) {
		client = w.stranger
	}
	reply, err := client.Do(request)
	if err != nil {
		return answer{}
	}
	defer reply.Body.Close()
	got, _ := io.ReadAll(reply.Body)
	var headers bytes.Buffer
	_ = reply.Header.Write(&headers)
	w.keep("answer "+operation, got)
	w.keep("headers "+operation, headers.Bytes())
	return answer{reply.StatusCode, got}
}

// do is a call that must succeed.
func (w *installation) do(token, operation, path string, body any) answer {
	w.Helper()
	got := w.call(token, operation, path, body)
	require.Less(w, got.status, 300, "%s: %s", operation, got.body)
	return got
}

func (w *installation) keep(place string, content []byte) {
	w.places[place] = append(append(w.places[place], content...), '\n')
}

// look gathers everything that the installation wrote.
func (w *installation) look() {
	w.Helper()
	w.export()
	w.support()
	w.arguments()
	w.listened()
	require.NoError(w, w.stand.Panel.Stop())
	w.keep("log of the panel", []byte(w.stand.Panel.Words()))
	w.keep("log of the agent", []byte(w.agent.Words()))
	w.keep("log of the authority", []byte(w.stand.Authority.Words()))
	w.folder("data folder", w.stand.Panel.DataDir)
	w.database()
}

// follow keeps what an administrator's live stream tells, until the panel ends it.
func (w *installation) follow() {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.stand.Panel.URL+"/api/v1/stream", nil)
	require.NoError(w, err)
	request.Header.Set("Authorization", "Bearer "+w.stand.API.Token)
	stream, err := http.DefaultClient.Do(request)
	require.NoError(w, err)
	require.Equal(w, http.StatusOK, stream.StatusCode)
	w.Cleanup(func() { _ = stream.Body.Close() })
	go func() {
		piece := make([]byte, 4<<10)
		for {
			n, err := stream.Body.Read(piece)
			w.heard.Lock()
			w.live = append(w.live, piece[:n]...)
			w.heard.Unlock()
			if err != nil {
				return
			}
		}
	}()
}

// listened keeps what others were told: whoever follows the live stream, and the language model.
func (w *installation) listened() {
	w.Helper()
	w.heard.Lock()
	defer w.heard.Unlock()
	require.Contains(w, string(w.live), "statuspage.deployed")
	w.keep("live stream", w.live)
	w.keep("what the language model is sent", w.minded)
}

func (w *installation) export() {
	for _, format := range []string{"csv", "ndjson"} {
		w.do(w.stand.API.Token, "GET /api/v1/audit/export", "/api/v1/audit/export?format="+format, nil)
	}
	for _, path := range []string{"/api/v1/audit?limit=200", "/api/v1/openapi.json", "/health", "/"} {
		w.call(w.stand.API.Token, "GET "+strings.Split(path, "?")[0], path, nil)
	}
	for _, variable := range w.stand.Panel.Spec.Env {
		if address, is := strings.CutPrefix(variable, "PANEL_METRICS_ADDR="); is {
			w.metrics(address)
		}
	}
}

// metrics are looked at where this build has them.
func (w *installation) metrics(address string) {
	for _, path := range []string{
		"/metrics", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap",
		"/debug/pprof/cmdline",
	} {
		ctx, cancel := context.WithTimeout(w.Context(), 10*time.Second)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
		require.NoError(w, err)
		if reply, err := http.DefaultClient.Do(request); err == nil {
			content, _ := io.ReadAll(reply.Body)
			_ = reply.Body.Close()
			w.keep("metrics", content)
		}
		cancel()
	}
}

// support is the bundle for the vendor, where this build makes one.
func (w *installation) support() {
	for _, body := range []any{map[string]any{"since": "1h"}, map[string]any{}} {
		w.call(w.stand.API.Token, "POST /api/v1/system/support-bundle", "/api/v1/system/support-bundle", body)
	}
	for _, path := range []string{"/api/v1/system/diagnostics", "/api/v1/system/support-bundle"} {
		w.call(w.stand.API.Token, "GET "+path, path, nil)
	}
}

// arguments are the command lines and the names of everything that runs from this stand.
func (w *installation) arguments() {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(w, err)
	for _, line := range lines {
		words, err := os.ReadFile(line)
		if err == nil &&
			(bytes.Contains(words, []byte(w.stand.Folder)) || bytes.Contains(words, []byte(w.stand.Panel.Spec.Path))) {
			w.keep("process arguments", words)
		}
	}
}

func (w *installation) folder(place, folder string) {
	w.Helper()
	require.NoError(w, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		w.keep(place, content)
		w.keep(place, []byte(path))
		return err
	}))
}

// database is every value of every column, as bytes and as text.
func (w *installation) database() {
	w.Helper()
	conn, err := pgx.Connect(w.Context(), w.dsn)
	require.NoError(w, err)
	defer func() { _ = conn.Close(context.WithoutCancel(w.Context())) }()
	rows, err := conn.Query(
		w.Context(),
		`select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped`,
	)
	require.NoError(w, err)
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	require.NoError(w, err)
	require.Greater(w, len(columns), 100)
	for _, c := range columns {
		w.column(conn, c)
	}
}

type column struct{ Table, Name string }

func (w *installation) column(conn *pgx.Conn, c column) {
	w.Helper()
	place := "database " + c.Table + "." + c.Name
	name := pgx.Identifier{c.Table}.Sanitize()
	rows, err := conn.Query(
		w.Context(),
		fmt.Sprintf("select %s::text from %s where %[1]s is not null", pgx.Identifier{c.Name}.Sanitize(), name),
	)
	require.NoError(w, err)
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w, err)
	for _, value := range values {
		w.keep(place, []byte(value))
		w.keep(place, unhexed(value))
	}
}

// unhexed are the bytes of a column that PostgreSQL shows in hex.
func unhexed(value string) []byte {
	digits, is := strings.CutPrefix(value, `\x`)
	if !is {
		return nil
	}
	raw := make([]byte, 0, len(digits)/2)
	for i := 0; i+1 < len(digits); i += 2 {
		var one byte
		if _, err := fmt.Sscanf(digits[i:i+2], "%02x", &one); err != nil {
			return raw
		}
		raw = append(raw, one)
	}
	return raw
}

func mustRoot(t *testing.T) string {
	t.Helper()
	root, err := rig.Root()
	require.NoError(t, err)
	return root
}
