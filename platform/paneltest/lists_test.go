package paneltest

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type base struct {
	Tags []string `json:"tags"`
}

type thing struct {
	base
	Name    string              `json:"name"`
	At      time.Time           `json:"at"`
	Gone    *time.Time          `json:"gone"`
	Parts   []thing             `json:"parts,omitempty"`
	Other   *thing              `json:"other"`
	Ports   map[string][]string `json:"ports,omitempty"`
	Raw     json.RawMessage     `json:"raw"`
	Sealed  []byte              `json:"sealed"`
	Maybe   []string            `json:"maybe" nullable:"true"`
	Untyped any                 `json:"untyped"`
}

// A null is found where the description says array or object, at any depth, and nowhere else.
func TestANullListIsFoundWhereverItIs(t *testing.T) {
	t.Parallel()
	for text, place := range map[string]string{
		`{"tags":[],"gone":null,"other":null,"raw":null,"sealed":null,"maybe":null,"untyped":null}`: "",
		`{"name":"without its list"}`:                        "",
		`{"tags":null}`:                                      ".tags[]",
		`{"tags":[],"parts":[{"tags":[]},{"tags":null}]}`:    ".parts[1].tags[]",
		`{"tags":[],"other":{"tags":null}}`:                  ".other.tags[]",
		`{"tags":[],"ports":null}`:                           ".ports{}",
		`{"tags":[],"ports":{"in":null}}`:                    ".ports.in[]",
		`{"tags":[],"at":"2026-05-01T10:00:00Z","ports":{}}`: "",
	} {
		var value any
		require.NoError(t, json.Unmarshal([]byte(text), &value))
		require.Equal(t, place, nullIn(reflect.TypeFor[thing](), value, ""), text)
	}
}

// A request belongs to the operation that names most of its path.
func TestAPathBelongsToTheOperationThatNamesMostOfIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, path string
		count         int
		fits          bool
	}{
		{"/api/v1/nodes", "/api/v1/nodes", 4, true},
		{"/api/v1/nodes/{id}", "/api/v1/nodes/rings", 4, true},
		{"/api/v1/nodes/rings", "/api/v1/nodes/rings", 5, true},
		{"/api/v1/nodes/{id}", "/api/v1/nodes/7/flows", 0, false},
		{"/api/v1/nodes/{id}/flows", "/api/v1/nodes/7/domains", 0, false},
	} {
		count, fits := literalsOf(c.pattern, c.path)
		require.Equal(t, c.fits, fits, c)
		if fits {
			require.Equal(t, c.count, count, c)
		}
	}
}
