package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
	"panel/platform/paneltest/bodies"
)

const canary = "c4n4ry-5ecret-value"

var badBodies = map[string]string{
	"broken":        `{"name":"` + canary,
	"not JSON":      canary,
	"array":         `["` + canary + `"]`,
	"null":          `null`,
	"unknown field": `{"no_such_field":"` + canary + `"}`,
	"deep":          strings.Repeat(`{"a":`, 10_000) + `1` + strings.Repeat(`}`, 10_000),
	"deep array":    strings.Repeat(`[`, 20_000),
	"control character": `{"name":"` + canary + `\u0000","username":"` + canary + `\u0007","password":"` + canary +
		`\u0000"}`,
	"wrong types": `{"name":{"x":"` + canary + `"},"username":17,"password":["` + canary + `"],"revision":"` +
		canary + `","id":{}}`,
	"not UTF-8":          "{\"name\":\"\xff\xfe" + canary + "\"}",
	"huge number":        `{"revision":1e400,"limit":99999999999999999999999999}`,
	"duplicate keys":     `{"name":"` + canary + `","name":{"x":1}}`,
	"trailing something": `{}{"x":"` + canary + `"}`,
}

// Bad input gets a clear error with a stable code, is never echoed and never a server error, on every writing
// operation.
// Specification, Errors: 400 is invalid JSON, a missing field or a wrong parameter.
func TestBadBodiesAreRefusedWithoutEcho(t *testing.T) {
	t.Parallel()
	p := everything(t)
	each(t, func(t *testing.T, line policy) {
		if line.method == http.MethodGet {
			return
		}
		for what, body := range badBodies {
			status, answer := send(t, p, line, p.Admin().Token, body)
			require.Less(t, status, http.StatusInternalServerError, "%s: %s", what, answer)
			require.NotContains(t, answer, canary, what)
			if status >= http.StatusBadRequest {
				require.Contains(t, answer, `"code":"`, what)
			}
		}
	}, "session", "throttled", "public", "first", "setup", "setup-session")
}

// attack is a document that is right but for one thing.
type attack struct {
	what, document string
	at             string // the field that the answer must name
}

// Other things than the name of a field that an attack may demand of its answer.
const (
	anywhere = "*" // a refusal that may name any field
	unread   = "?" // raw JSON, which whoever reads it judges: it may be taken, and still nothing is stored
)

// attacks are what every place of every body must withstand.
func (d *described) attacks(t *testing.T, line policy, body *bodies.Schema) []attack {
	t.Helper()
	var all []attack
	add := func(what, at string, c bodies.Change) {
		all = append(all, attack{what + " at " + c.Path, d.Document(t, body, c), at})
	}
	for _, p := range d.Places(t, body) {
		for _, twin := range twins(p.Name) {
			field := bodies.Below(p.Parent, twin)
			value := d.Document(t, p.Schema, bodies.Change{Path: "nowhere"})
			add("twin "+twin, field, bodies.Change{Path: p.Path, Beside: "," + strconv.Quote(twin) + ":" + value})
		}
		if !mayBeNull(line, p) {
			add("null", p.Path, bodies.Change{Path: p.Path, Value: "null"})
		}
		for _, wrong := range wrongFor(p.Schema.Kind()) {
			add("wrong type "+wrong, p.Path, bodies.Change{Path: p.Path, Value: wrong})
		}
		if long := tooLong(d.Document(t, p.Schema, bodies.Change{Path: "nowhere"}), p.Schema.Kind()); long != "" &&
			p.Path != "" {
			at := anywhere
			if p.Schema.Kind() == "anything" {
				at = unread
			}
			add("a megabyte", at, bodies.Change{Path: p.Path, Value: long})
		}
		if p.Schema.Kind() == "object" && p.Schema.Values(t) == nil {
			add("neighbours", anywhere, bodies.Change{Path: p.Path, Inside: neighbours()})
		}
	}
	return all
}

// mayBeNull: programs of another version write a list or an object that they do not have as null.
func mayBeNull(line policy, p bodies.Place) bool {
	kind := p.Schema.Kind()
	return p.Schema.Nullable() || kind == "anything" || line.lenient && p.Path != "" && (kind == "array" ||
		kind == "object")
}

// twins are spellings that the decoder takes for the name, and the name itself once more.
func twins(name string) []string {
	if name == "" || name == "k" {
		return nil
	}
	all := []string{name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:]}
	if other := strings.NewReplacer("s", "ſ", "k", "\u212a").Replace(name); other != name {
		all = append(all, other)
	}
	return all
}

func wrongFor(kind string) []string {
	var wrong []string
	for of, value := range map[string]string{
		"boolean": "true", "number": "17.5", "string": `"text"`, "array": "[[]]",
		"object": `{"":{}}`,
	} {
		if kind != "anything" && kind != of {
			wrong = append(wrong, value)
		}
	}
	return wrong
}

// tooLong is a megabyte of what stands at a place.
func tooLong(value, kind string) string {
	const size = 1_000_000
	switch kind {
	case "string", "anything":
		return `"` + strings.Repeat("x", size) + `"`
	case "integer", "number":
		return strings.Repeat("7", size)
	case "array":
		item := strings.TrimSuffix(strings.TrimPrefix(value, "["), "]")
		return "[" + strings.Repeat(item+",", size/(len(item)+1)) + item + "]"
	}
	return ""
}

// neighbours are a hundred thousand fields that nothing knows.
var neighbours = sync.OnceValue(func() string {
	var text strings.Builder
	for i := range 100_000 {
		text.WriteString(`"` + strconv.FormatInt(int64(i), 36) + `":1,`)
	}
	return text.String() + `"z-":1`
})

// Each place of each body, with a twin in other case, sent twice, null, of a wrong type, a megabyte long and among a
// hundred thousand unknown neighbours, sent to objects that exist: a refusal of at most 8 kB that names the place, and
// nothing is stored. Not parallel, because it looks at the memory of the process.
func TestEveryFieldOfEveryBodyWithstandsHostileInput(t *testing.T) { //nolint:paralleltest // measures memory
	began, outside := time.Now(), newOutside(t)
	fresh := &estate{matrix: newMatrix(t, outside)}
	known := fresh.described()
	todo := slices.Collect(maps.Values(policies(t)))
	fresh.hostile(known, slices.DeleteFunc(slices.Clone(todo),
		func(line policy) bool { return line.access != "first" }))
	e := newEstateOn(t, fresh.matrix)
	e.statusPage()
	before, memory := e.picture(), heap()
	e.hostile(known, slices.DeleteFunc(todo, func(line policy) bool { return line.access == "first" }))
	e.untouched(before, outside)
	require.Less(t, heap(), memory+64<<20, "the heap grew")
	t.Logf("%d requests in %s", e.sent.Load(), time.Since(began).Round(time.Millisecond))
}

// described is what the panel says of all its operations, of the hidden ones too.
func (m *matrix) described() *described {
	m.t.Helper()
	known := new(described)
	for _, describe := range []func() ([]byte, error){m.App.Server().Describe, m.App.Server().DescribeHidden} {
		text, err := describe()
		require.NoError(m.t, err)
		require.NoError(m.t, json.Unmarshal(text, known))
	}
	return known
}

func (e *estate) hostile(known *described, lines []policy) {
	for _, line := range lines {
		body := known.body(line)
		if body == nil {
			continue
		}
		path := line.with(e.ids(line)...)
		for _, each := range known.attacks(e.t, line, body) {
			at := path
			if each.at == unread { // would end the command whose result it is
				at = line.somewhere()
			}
			got := e.wire.send(call{
				method: line.method, path: at, headers: e.headers(known, line), ip: e.address(line),
				body: each.document,
			})
			name := line.method + " " + line.path
			require.Contains(e.t, known.of(line).Responses, strconv.Itoa(got.status),
				"%s does not describe what it answers", name)
			if wrong := broken(e.t, each, got); wrong != "" {
				e.t.Errorf("%s: %s: %s: %d %s", name, each.what, wrong, got.status, got.body[:min(len(got.body), 500)])
			}
		}
	}
}

// broken says what is wrong with an answer.
func broken(t *testing.T, each attack, got response) string {
	t.Helper()
	switch {
	case len(got.body) > 8<<10:
		return "the answer is long"
	case each.at == unread && got.status < http.StatusInternalServerError:
		return ""
	case got.status < http.StatusBadRequest || got.status >= http.StatusInternalServerError:
		return "no refusal"
	case got.status == http.StatusNotFound:
		return "it asks of an object that is not there"
	case each.at == anywhere:
		return ""
	case got.status != http.StatusBadRequest && got.status != http.StatusUnprocessableEntity:
		return "not refused for its form"
	}
	errors, _ := decoded(t, got.body)["errors"].([]any)
	if len(errors) == 0 {
		return "no field is named"
	}
	for _, one := range errors {
		if one.(map[string]any)["field"] != each.at {
			return "another field is named than " + each.at
		}
	}
	return ""
}

func heap() uint64 {
	var now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&now)
	return now.HeapAlloc
}

// A body over the limit is 413 before anything reads it.
func TestAHugeBodyIsRefused(t *testing.T) {
	t.Parallel()
	p := everything(t)
	line := policies(t)["POST /api/v1/auth/login"]
	status, answer := send(t, p, line, "", `{"username":"`+strings.Repeat("x", 2<<20)+`","password":"x"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, status, answer)
	require.Contains(t, answer, "body_too_large")
}

// Query parameters that no operation of ours takes are refused or ignored, never a server error.
func TestBadQueriesAreNeverAServerError(t *testing.T) {
	t.Parallel()
	p := everything(t)
	token := p.Admin().Token
	queries := []string{
		"?limit=0", "?limit=x", "?limit=9999999999999999999", "?cursor=" + canary, "?sort=" + canary,
		"?q=%00", "?q=%ff", "?state=" + canary, "?from=x&to=y", "?%zz",
	}
	each(t, func(t *testing.T, line policy) {
		for _, query := range queries {
			got := ask(t, p, line, line.somewhere()+query, bearer(token)...)
			require.Less(t, got.status, http.StatusInternalServerError, query)
		}
	}, "session")
}

func send(t *testing.T, p *paneltest.Panel, line policy, token, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), line.method, p.URL+line.somewhere(),
		bytes.NewReader([]byte(body)))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(answer)
}
