package reading_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows"
	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/reading"
	"panel/modules/imports/internal/sqlite"
	xuidb "panel/modules/imports/internal/xui"
)

func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// The process that reads a database is the one of the test started again.
func TestMain(m *testing.M) {
	if slices.Equal(os.Args[1:], []string{"flows", "read-database"}) {
		if err := reading.Serve(context.Background(), os.Getenv, os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func read(t *testing.T, text string) (*foreign.Config, error) {
	t.Helper()
	return readSized(t, text, int64(len(text)))
}

// readSized reads a file that is as long as size says, with nothing behind the text.
func readSized(t *testing.T, text string, size int64) (*foreign.Config, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	require.NoError(t, os.Truncate(name, size))
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	return reading.New().Read(t.Context(), file, size)
}

func sound(t *testing.T, text string) *foreign.Config {
	t.Helper()
	c, err := read(t, text)
	require.NoError(t, err)
	return c
}

const xui = `[{"id":3,"remark":"gRPC","enable":true,"port":443,"protocol":"vless","tag":"in-443",
	"settings":{"clients":[{"id":"a","email":"anna"}]},"streamSettings":{"network":"grpc","security":"tls"}}]`

// A file is what its content says.
func TestAFileIsWhatItsContentSays(t *testing.T) {
	t.Parallel()
	config := file(t, "../xray/testdata/server.json")
	for text, format := range map[string]string{
		config: "xray", "\xef\xbb\xbf\n " + config: "xray",
		`{"config":` + config + `}`: "remnawave", `{"response":{"config":` + config + `}}`: "remnawave",
		`{"profile":{"config":` + config + `},"users":[]}`: "remnawave",
		xui: "3x-ui", `{"success":true,"msg":"","obj":` + xui + `}`: "3x-ui",
		`{"schema":"panel.flow/v1","name":"Two","graph":{"nodes":[],"edges":[]}}`: "flow",
	} {
		require.Equal(t, format, sound(t, text).Format, "%.40s", text)
	}
}

func TestWhatIsNoneOfThemIsRefused(t *testing.T) {
	t.Parallel()
	for text, wanted := range map[string]error{
		"": reading.ErrUnknown, "  ": reading.ErrUnknown, "hello": reading.ErrUnknown, "5": reading.ErrUnknown,
		"null": reading.ErrUnknown, `"x"`: reading.ErrUnknown, "{}": reading.ErrUnknown, "[5]": reading.ErrUnknown,
		`{"inbounds":5}`: reading.ErrUnknown, `{"obj":5}`: reading.ErrUnknown, `{"config":5}`: reading.ErrUnknown,
		"{": reading.ErrBroken, "[": reading.ErrBroken, `{"inbounds":[]`: reading.ErrBroken, `{"a":1} x`: reading.ErrBroken,
		`{"schema":"panel.flow/v1"}`: reading.ErrBroken, `{"schema":"panel.flow/v1","graph":{},"tags":5}`: reading.ErrBroken,
		"SQLite format 3\x00 broken": reading.ErrBroken, "# only a comment": reading.ErrUnknown,
	} {
		_, err := read(t, text)
		require.ErrorIs(t, err, wanted, "%q", text)
	}
	_, err := readSized(t, "{}", reading.MostText+1)
	require.ErrorIs(t, err, reading.ErrTooLarge)
}

// The core allows comments in its configurations, so that people write them.
func TestCommentsAreReadOver(t *testing.T) {
	t.Parallel()
	config := `// what listens
{ # the list
  "inbounds": [ /* one
  of them */ {"tag": "a//b#c/*d*/\"//", "port": 1, "protocol": "shadowsocks", "settings": {
    "method": "2022-blake3-aes-128-gcm", "password": "MDEyMzQ1Njc4OWFiY2RlZg=="}} ], // "x
  "outbounds": []
} // the end`
	c := sound(t, config)
	require.Equal(t, `a//b#c/*d*/"//`, c.Entries[0].Key, "a text stays as it is")
	for _, broken := range []string{`{"inbounds": [] /* no end }`, `{"inbounds": [ // }`, `{"inbounds": "\`, `{/`} {
		_, err := read(t, broken)
		require.ErrorIs(t, err, reading.ErrBroken, broken)
	}
}

// What was read elsewhere is the same when it comes in again.
func TestWhatWasReadElsewhereComesInAgain(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		file(t, "../xray/testdata/server.json"), xui,
		`{"schema":"panel.flow/v1","name":"Two","graph":{"nodes":[],"edges":[]}}`,
	} {
		first := sound(t, text)
		first.Schema = foreign.Schema
		sent, err := json.Marshal(first)
		require.NoError(t, err)
		again := sound(t, string(sent))
		first.Schema = ""
		require.Equal(t, first, again)
	}
}

// database is one of 3x-ui.
func database(t *testing.T) []byte {
	t.Helper()
	packed, err := os.Open("../xui/testdata/x-ui.db.gz")
	require.NoError(t, err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	raw, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	return raw
}

// A database is read in a process of its own, and comes out of it as it is.
func TestADatabaseIsReadByAnotherProcess(t *testing.T) {
	t.Parallel()
	raw := database(t)
	here, err := xuidb.Database(t.Context(), bytes.NewReader(raw), int64(len(raw)))
	require.NoError(t, err)
	require.Equal(t, here, sound(t, string(raw)))
	_, err = read(t, sqlite.Magic)
	require.ErrorIs(t, err, reading.ErrBroken)
	_, err = read(t, string(raw[:len(raw)/2]))
	require.ErrorIs(t, err, reading.ErrBroken)
	other, err := os.ReadFile("../sqlite/testdata/tables.db.gz")
	require.NoError(t, err)
	unpacked, err := gzip.NewReader(bytes.NewReader(other))
	require.NoError(t, err)
	other, err = io.ReadAll(unpacked)
	require.NoError(t, err)
	_, err = read(t, string(other))
	require.ErrorIs(t, err, reading.ErrUnknown)
}

// A sound database of 200 MB is read; one of that size which ends in nothing is refused.
func TestADatabaseOf200MBIsRead(t *testing.T) {
	t.Parallel()
	const size = 200 << 20
	raw := database(t)
	whole, err := readSized(t, string(raw), size)
	require.NoError(t, err)
	require.Len(t, whole.Entries, 6)
	_, err = readSized(t, sqlite.Magic, size)
	require.ErrorIs(t, err, reading.ErrBroken)
}

// Whatever is read of a broken database is such that it comes out of the process.
func TestWhatIsReadOfABrokenDatabaseComesOut(t *testing.T) {
	t.Parallel()
	whole, random, came := database(t), rand.New(rand.NewPCG(3, 4)), 0
	for range 100 {
		raw := bytes.Clone(whole)
		for range 1 + random.IntN(40) {
			raw[random.IntN(len(raw))] = byte(random.Uint32())
		}
		first, err := xuidb.Database(t.Context(), bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			continue
		}
		came++
		first.Schema = foreign.Schema
		sent, err := json.Marshal(first)
		require.NoError(t, err)
		again, err := reading.Text(sent)
		require.NoError(t, err)
		require.Equal(t, first.Clients, again.Clients)
	}
	require.NotZero(t, came)
}

// It may come from anybody: it is bounded as if it were read here.
func TestWhatWasReadElsewhereIsBounded(t *testing.T) {
	t.Parallel()
	with := func(entry string) string { return `{"schema":"panel.foreign/v1","entries":[` + entry + `]}` }
	entry := func(client string) string { return with(`{"key":"a","listener":{},"clients":[` + client + `]}`) }
	for _, text := range []string{
		with(`{}`), with(`{"key":"a"}`), with(`{"listener":{}}`),
		with(`{"key":"a","listener":{}},{"key":"a","listener":{}}`),
		with(`{"key":"a","flow":{}}`), with(`5`), entry(`{}`), entry(`{"label":"\n"}`), entry(`{"label":"a","uuid":"no id"}`),
		entry(`{"label":"a","quota":-1}`), entry(`{"label":"a","reset":"hourly"}`), entry(`{"label":"a","up":-1}`),
		entry(`{"label":"a","down":9007199254740992}`), entry(`{"label":"a","password":"a\u0000b"}`),
		entry(`{"label":"a","password":"` + strings.Repeat("x", 129) + `"}`),
		entry(`{"label":"a","lasts_days":-1}`), entry(`{"label":"a","lasts_days":3651}`),
		entry(`{"label":"a","lasts_days":1,"expires_at":"2030-01-01T00:00:00Z"}`),
		entry(`{"label":"a","addresses":-1}`), entry(`{"label":"a","addresses":1001}`),
		entry(`{"label":"a","subscription":"anna"}`), entry(`{"label":"a","subscription":"../../../../etc/passwd"}`),
		entry(`{"label":"a","key":"` + strings.Repeat("AAAA", 11) + `"}`),
		with(`{"key":"a","listener":{},"rules":[` + strings.Repeat(`{},`, foreign.MaxRules) + `{}]}`),
	} {
		_, err := read(t, text)
		require.ErrorIs(t, err, reading.ErrBroken, "%.80s", text)
	}
	c := sound(t, `{"schema":"panel.foreign/v1","format":"a\nb","entries":[{"key":" k ","name":"\u202ex","domain":"d\n",
		"listener":{},"clients":[{"label":" anna ","note":"a\nb"}]}],
		"findings":[{"path":"p","code":"not_readable","what":"w\n"},{"path":"p","code":"made_up"}],"clients":99}`)
	require.Equal(t, "a b", c.Format)
	require.Equal(t, 1, c.Clients)
	require.Equal(t, []string{"k", "x", "d"}, []string{c.Entries[0].Key, c.Entries[0].Name, c.Entries[0].Domain})
	require.Equal(t, foreign.Client{Label: "anna", Note: "a b"}, c.Entries[0].Clients[0])
	require.Equal(t, []foreign.Finding{{Path: "p", Code: foreign.NotReadable, What: "w"}}, c.Findings)
}

// The drafts that follow are such that flows accept them, once a node and, for TLS, a domain is chosen.
func TestDraftsThatFollowAreAccepted(t *testing.T) {
	t.Parallel()
	tls := `"security":"tls","tlsSettings":{"alpn":["h2","http/1.1"],"minVersion":"1.3"}`
	in := func(protocol, settings, stream string) string {
		return `{"port":"2000-2010","protocol":"` + protocol + `","settings":{` + settings +
			`},"streamSettings":{` + stream + `}}`
	}
	var inbounds []string
	for _, protocol := range []string{"vless", "trojan", "vmess"} {
		for _, network := range []string{"raw", "ws", "grpc", "xhttp", "httpupgrade"} {
			settings := `"` + network + `Settings":{"path":"/a?ed=1","serviceName":"s","mode":"auto","xPaddingBytes":"1-2"}`
			inbounds = append(inbounds, in(protocol, "", `"network":"`+network+`",`+settings+`,`+tls+
				`,"sockopt":{"acceptProxyProtocol":true}`))
		}
	}
	inbounds = append(inbounds, in("hysteria", "", `"network":"hysteria",`+tls), in("vmess", "", `"network":"ws"`),
		in("shadowsocks", `"network":"tcp","method":"2022-blake3-aes-128-gcm","password":"MDEyMzQ1Njc4OWFiY2RlZg=="`,
			`"sockopt":{"acceptProxyProtocol":true}`))
	made := sound(t, `{"inbounds":[`+strings.Join(inbounds, ",")+`],"outbounds":[{"protocol":"blackhole"},
		{"tag":"d","protocol":"freedom"}],"routing":{"rules":[{"port":443,"outboundTag":"d"}]}}`)
	require.Len(t, made.Entries, len(inbounds), "%v", made.Findings)
	whole := sound(t, file(t, "../xray/testdata/server.json"))
	for _, e := range append(made.Entries, whole.Entries...) {
		drawing, err := e.Drawing("0199a0de-0000-7000-8000-00000000000a")
		require.NoError(t, err)
		if e.Listener.Security == "tls" {
			drawing = bytes.Replace(drawing, []byte(`"node_id"`),
				[]byte(`"node_domain_id":"0199a0de-0000-7000-8000-00000000000b","node_id"`), 1)
		}
		problems, err := flows.CheckDrawing(drawing)
		require.NoError(t, err, "%s", drawing)
		require.Empty(t, problems, "%s", drawing)
		bare, err := e.Drawing("")
		require.NoError(t, err)
		problems, err = flows.CheckDrawing(bare)
		require.NoError(t, err)
		for _, p := range problems {
			require.Contains(t, []string{"node_required", "domain_required"}, p.Code, "%s", bare)
		}
	}
}
