package httpapi

import (
	std "encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type sample struct {
	Name   string            `json:"name"`
	Count  int               `json:"count"`
	Port   uint16            `json:"port"`
	Load   float64           `json:"load"`
	Limit  *int64            `json:"limit"`
	Labels map[string]string `json:"labels"`
	Ports  []uint16          `json:"ports"`
	Since  time.Time         `json:"since"`
	Bytes  []byte            `json:"bytes"`
	Inner  *sample           `json:"inner"`
	Rest   std.RawMessage    `json:"rest"`
}

// alike demands that a document that is accepted holds what the standard library reads from its text.
func alike(t require.TestingT, text string) (accepted bool) {
	got, err := Leniently[sample]().Read([]byte(text))
	if err != nil {
		return false
	}
	var want sample
	require.NoError(t, std.Unmarshal([]byte(text), &want), text)
	require.Equal(t, &want, got, text)
	return true
}

// A frame of an agent is read at each of its heartbeats, so it has the fast decoder, which must read what the standard
// library reads: texts that are no texts, numbers at their bounds, times of other zones, raw values.
func TestADocumentHoldsWhatTheStandardLibraryReads(t *testing.T) {
	t.Parallel()
	for text, fine := range map[string]bool{
		`{}`: true,
		`{"name":"tab\there \u00e9\ud83d\ude00 \/"}`:      true,
		`{"labels":{"a":"b","c":"\ud83d\ude00"}}`:         true,
		`{"count":9223372036854775807,"port":65535}`:      true,
		`{"count":-0,"load":-0.5e-3}`:                     true,
		`{"limit":null,"labels":null,"ports":[]}`:         true,
		`{"since":"2026-01-02T03:04:05.123456789+05:45"}`: true,
		`{"bytes":"AQI=","rest":{"b":1 , "a":[1, 2]}}`:    true,
		`{"inner":{"inner":{"name":"deep"}},"unknown":1}`: true,
		`{"count":9223372036854775808}`:                   false,
		`{"port":70000}`:                                  false,
		`{"port":-1}`:                                     false,
		`{"count":1.5}`:                                   false,
		`{"load":1e400}`:                                  false,
		`{"since":"2026-13-02T03:04:05Z"}`:                false,
		`{"bytes":"!"}`:                                   false,
		`{"name":"x","Name":"y"}`:                         false,
		`{"ports":[1,"2"]}`:                               false,
		`{"count":01}`:                                    false,
		`{"name":"a"}{}`:                                  false,
		`[]`:                                              false,
		`null`:                                            false,
		``:                                                false,
	} {
		require.Equal(t, fine, alike(t, text), text)
	}
	for _, text := range []string{"{\"name\":\"\xff\"}", `{"name":"\ud800"}`, "{\"name\":\"\xed\xa0\x80\"}"} {
		alike(t, text) // whether it is refused is asked elsewhere
	}
}

// The same for any document that the standard library writes.
func TestAnyDocumentIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.MapOfN(rapid.StringMatching(`[a-z]{1,4}`), rapid.String(), 0, 4)
		text, err := std.Marshal(sample{
			Name: rapid.String().Draw(t, "name"), Count: rapid.Int().Draw(t, "count"), Port: rapid.Uint16().Draw(t, "port"),
			Load:   rapid.Float64Range(-1e300, 1e300).Draw(t, "load"),
			Labels: labels.Draw(t, "labels"), Ports: rapid.SliceOfN(rapid.Uint16(), 0, 5).Draw(t, "ports"),
			Since: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "since"), rapid.Int64Range(0, 999_999_999).Draw(t, "part")).UTC(),
			Bytes: rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "bytes"), Rest: std.RawMessage(`[1,{"a":null}]`),
		})
		require.NoError(t, err)
		alike(t, string(text)) // a zero byte is refused
	})
}
