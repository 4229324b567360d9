package xui_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/sqlite"
	"panel/modules/imports/internal/xui"
)

// database is a file with the tables and columns of 3x-ui, made for the test by SQLite itself.
func database(t *testing.T) []byte {
	t.Helper()
	return unpack(t, "testdata/x-ui.db.gz")
}

func unpack(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	raw, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	return raw
}

func read(t *testing.T, raw []byte) *foreign.Config {
	t.Helper()
	c, err := xui.Database(t.Context(), bytes.NewReader(raw), int64(len(raw)))
	require.NoError(t, err)
	return c
}

func entry(t *testing.T, c *foreign.Config, key string) foreign.Entry {
	t.Helper()
	for _, e := range c.Entries {
		if e.Key == key {
			return e
		}
	}
	require.Fail(t, "no such entry", key)
	return foreign.Entry{}
}

func codes(c *foreign.Config, path string) (found []foreign.Code) {
	for _, f := range c.Findings {
		if strings.HasPrefix(f.Path, path) {
			found = append(found, f.Code)
		}
	}
	return found
}

func TestADatabaseBecomesEntriesWithTheirClients(t *testing.T) {
	t.Parallel()
	c := read(t, database(t))
	require.Len(t, c.Entries, 6)
	germany := entry(t, c, "in-64999-tcp")
	require.Equal(t, "Germany 🇩🇪", germany.Name)
	require.Equal(t, 64999, germany.Listener.Port)
	require.Equal(t, "xtls-rprx-vision", germany.Listener.Flow)
	require.Equal(t, "on", germany.Listener.Sniffing)
	require.Equal(t, []string{"0123456789abcdef", "a1"}, germany.Listener.Reality.ShortIDs)
	require.Equal(t, "127.0.0.1:38443", germany.Listener.Reality.Target)
	require.True(t, germany.Listener.Reality.AllowPrivateTarget)
	require.Len(t, germany.Listener.Reality.PrivateKey, 43)
	anna, boris, vera := germany.Clients[0], germany.Clients[1], germany.Clients[2]
	require.Equal(t, "Анна, с мая", anna.Note)
	require.EqualValues(t, 107374182400, anna.Quota)
	require.Equal(t, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), *anna.ExpiresAt)
	require.Equal(t, []int64{1048576, 2097152}, []int64{anna.Up, anna.Down})
	require.True(t, boris.Disabled)
	require.Nil(t, vera.ExpiresAt)
	require.Positive(t, vera.LastsDays, "her time begins with her first use")
	require.Equal(t, []foreign.Rule{{Match: foreign.Match{Protocol: []string{"bittorrent"}}, Refuse: true}}, germany.Rules)

	trojan := entry(t, c, "in-8443-tcp")
	require.Equal(t, "c0rrect horse/battery+staple=ü", trojan.Clients[0].Password)
	require.Equal(t, "de.example.com", trojan.Domain)
	shadow := entry(t, c, "in-64998-tcp")
	require.Len(t, shadow.Clients, 1)
	require.Len(t, shadow.Clients[0].Key, 16)
	raw, err := base64.StdEncoding.DecodeString(shadow.Listener.Secret)
	require.NoError(t, err)
	require.Len(t, raw, 16)
	vmess := entry(t, c, "in-8081-tcp")
	require.True(t, vmess.Off)
	require.Equal(t, "/ws", vmess.Listener.Path)
	hysteria := entry(t, c, "in-8444-udp")
	require.Equal(t, "obfuscat3d", hysteria.Listener.Secret)
	require.Equal(t, "hy-s3cret", hysteria.Clients[0].Password)
	many := entry(t, c, "in-2053-tcp")
	require.Len(t, many.Clients, 300, "a row that goes on over many pages")
	require.EqualValues(t, 598, many.Clients[299].Down, "a table of several levels")
	require.Len(t, many.Name, foreign.MaxLabel)
}

// What could not be read is named by its place, with a reason.
func TestWhatADatabaseHasBesidesIsTold(t *testing.T) {
	t.Parallel()
	c := read(t, database(t))
	for path, code := range map[string]foreign.Code{
		"inbounds[id=4].protocol":                   foreign.WireGuardAnew,
		"inbounds[id=10].protocol":                  foreign.ProtocolUnknown,
		"inbounds[id=8]":                            foreign.NotReadable,
		"inbounds[id=9].streamSettings.security":    foreign.SecurityUnknown,
		"inbounds[id=2].settings.fallbacks":         foreign.FallbacksLeftOut,
		"inbounds[id=2].streamSettings.tlsSettings": foreign.DomainNeeded,
		"inbounds[id=3].settings.clients[1]":        foreign.ClientNoSecret,
		"inbounds[id=1].settings.clients[2].reset":  foreign.ResetLeftOut,
		"outbounds[2]":                              foreign.OutboundLeftOut,
		"routing.rules[2]":                          foreign.RuleLeftOut,
		"inbounds[id=5]":                            foreign.SwitchedOff,
	} {
		require.Contains(t, codes(c, path), code, path)
	}
	for _, f := range c.Findings {
		require.NotEmpty(t, f.Code.Reason(), f.Code)
	}
}

// A database that was copied while 3x-ui was running may lack its newest changes; what it has is read all the same.
func TestACopyOfARunningPanelIsReadAndToldOf(t *testing.T) {
	t.Parallel()
	raw := database(t)
	require.NotContains(t, codes(read(t, raw), ""), foreign.NewestMissing)
	const writes, reads, wal = 18, 19, 2
	raw[writes], raw[reads] = wal, wal
	c := read(t, raw)
	require.Len(t, c.Entries, 6)
	require.Contains(t, codes(c, ""), foreign.NewestMissing)
}

// A sound database of another program is told from a broken one.
func TestADatabaseOfAnotherProgramIsToldFromABrokenOne(t *testing.T) {
	t.Parallel()
	other := unpack(t, "../sqlite/testdata/tables.db.gz")
	_, err := xui.Database(t.Context(), bytes.NewReader(other), int64(len(other)))
	require.ErrorIs(t, err, xui.ErrOther)
	_, err = xui.Database(t.Context(), bytes.NewReader(other), int64(len(other)/2))
	require.Error(t, err)
	raw := database(t)[:8192]
	_, err = xui.Database(t.Context(), bytes.NewReader(raw), int64(len(raw)))
	require.ErrorIs(t, err, sqlite.ErrBroken)
}

// The list of the API is the same as the table, with its settings as documents or as texts.
func TestTheListOfTheAPIIsReadAlike(t *testing.T) {
	t.Parallel()
	settings := `{"clients":[{"id":"0d1f5a52-6c0e-4b33-8a06-5a2a2b1c9b10","email":"anna","flow":""}],"decryption":"none"}`
	stream := `{"network":"grpc","security":"tls","tlsSettings":{"serverName":"a.example"},"grpcSettings":{"serviceName":"x"}}`
	asText := func(document string) string {
		text, err := json.Marshal(document)
		require.NoError(t, err)
		return string(text)
	}
	form := func(settings, stream string) []byte {
		return []byte(`[{"id":3,"remark":"gRPC","enable":true,"listen":"","port":443,"protocol":"vless","tag":"in-443",
			"settings":` + settings + `,"streamSettings":` + stream + `,"sniffing":null,
			"clientStats":[{"email":"anna","up":3,"down":4}]}]`)
	}
	documents, err := xui.Inbounds(form(settings, stream))
	require.NoError(t, err)
	texts, err := xui.Inbounds(form(asText(settings), asText(stream)))
	require.NoError(t, err)
	require.Equal(t, documents, texts)
	require.Equal(t, "x", documents.Entries[0].Listener.ServiceName)
	require.EqualValues(t, 4, documents.Entries[0].Clients[0].Down)
	_, err = xui.Inbounds([]byte(`{"msg":"no"}`))
	require.Error(t, err)
}

// A broken or hostile file is refused or read in part: it neither panics nor takes long nor much memory.
func TestABrokenDatabaseHarmsNothing(t *testing.T) {
	t.Parallel()
	sound := database(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		raw := bytes.Clone(sound)
		switch random.IntN(3) {
		case 0:
			raw = raw[:random.IntN(len(raw))]
		case 1:
			for range 1 + random.IntN(40) {
				raw[random.IntN(len(raw))] = byte(random.Uint32())
			}
		default:
			page := random.IntN(len(raw)/4096) * 4096
			for i := range 64 {
				raw[page+i] = byte(random.Uint32())
			}
		}
		if c, err := xui.Database(t.Context(), bytes.NewReader(raw), int64(len(raw))); err == nil {
			require.LessOrEqual(t, len(c.Entries), foreign.MaxEntries)
		}
	}
}

// Pages that lead to one another in a circle end the reading.
func TestPagesThatLeadInACircleEnd(t *testing.T) {
	t.Parallel()
	raw := database(t)
	for page := 1; page < len(raw)/4096; page++ {
		circle := bytes.Clone(raw)
		self := byte(page + 1)
		copy(circle[page*4096:], []byte{5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, self, 0, 14, 0, 0, 0, self, 1})
		_, _ = xui.Database(t.Context(), bytes.NewReader(circle), int64(len(circle))) // whatever it says, it says it
	}
}
