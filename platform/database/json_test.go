package database

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type readColumn struct {
	Name   string            `json:"name"`
	Count  *int64            `json:"count,omitempty"`
	Ratio  float64           `json:"ratio"`
	At     time.Time         `json:"at"`
	Until  *time.Time        `json:"until"`
	Tags   []string          `json:"tags"`
	Raw    json.RawMessage   `json:"raw"`
	Words  map[string]string `json:"words"`
	Free   any               `json:"free"`
	Nested struct {
		Deep []map[string]any `json:"deep"`
	} `json:"nested"`
}

// Columns are read as the standard library reads them, whatever they hold.
func TestColumnsAreReadAsTheStandardLibraryReadsThem(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `null`,
		`{"name": "a\u0007\ud83d\ude00 é \\ \/ \"", "count": 9223372036854775807, "ratio": 1e-7,
			"at": "2026-11-22T10:00:00.123456+00:00"}`,
		`{"NAME": "folded", "count": null, "until": "0001-01-01T00:00:00Z", "tags": [],
			"raw": {"a": [1, 2.50]}, "words": {"k": "v"}}`,
		`{"tags": null, "free": {"a": [1, true, null, "x"]}, "nested": {"deep": [{"k": 1.0}, {}]}, "unknown": [{"x": 1}]}`,
	} {
		var fast, standard readColumn
		require.NoError(t, json.Unmarshal([]byte(text), &standard), text)
		require.NoError(t, columns{}.Unmarshal([]byte(text), &fast), text)
		require.Equal(t, standard, fast, text)
	}
	for _, broken := range []string{``, `{`, `{"count":"x"}`, `{"at":17}`, `[1]`, `{} x`} {
		require.Error(t, columns{}.Unmarshal([]byte(broken), new(readColumn)), broken)
	}
}

func TestAColumnOfNodesIsReadWithFewAllocations(t *testing.T) { //nolint:paralleltest // counts allocations
	text := []byte(
		`{"name":"node","count":7,"ratio":0.5,"at":"2026-11-22T10:00:00Z","tags":["a","b","c"],"raw":{},"words":{"k":"v"}}`,
	)
	standard := testing.AllocsPerRun(100, func() { _ = json.Unmarshal(text, new(readColumn)) })
	fast := testing.AllocsPerRun(100, func() { _ = columns{}.Unmarshal(text, new(readColumn)) })
	require.Less(t, fast, standard)
}
