package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"panel/platform/access"
	"panel/platform/entitlement"
)

type thing struct {
	Name  string            `json:"name" minLength:"2" maxLength:"8" pattern:"^[a-z]+$"`
	Kind  string            `json:"kind,omitempty" enum:"big,small"`
	Size  int               `json:"size,omitempty" minimum:"1" maximum:"9"`
	Tags  []string          `json:"tags,omitempty" maxItems:"3" maxLength:"4"`
	Words map[string]string `json:"words,omitempty"`
	Part  *thing            `json:"part,omitempty"`
	Parts []thing           `json:"parts,omitempty"`
	Raw   json.RawMessage   `json:"raw,omitempty"`
	Until *time.Time        `json:"until"`
	Note  string            `json:"note,omitempty"`
}

type thingInput struct{ Body thing }

// bodies is a server with one operation that takes strict bodies and one that takes those of other versions.
func bodies(t testing.TB) func(path, body string) (int, Problem) {
	t.Helper()
	took := func(context.Context, *thingInput) (*struct{}, error) { return nil, nil } //nolint:nilnil // 204
	s, err := New(Options{
		Clock: clockwork.NewFakeClock(), License: entitlement.Fixed{State: entitlement.Active}, Streams: NewStreams(),
		Sessions: oneSession{access.Caller{Kind: access.Admin}},
	}, Routes{
		Post("/strict", "x", access.Session(), took), Post("/lenient", "x", access.Session(), took, Lenient()),
	})
	require.NoError(t, err)
	return func(path, body string) (int, Problem) { return posted(t, s, path, body) }
}

func posted(t testing.TB, s *Server, path, body string, headers ...string) (int, Problem) {
	t.Helper()
	c := &fasthttp.RequestCtx{}
	c.Request.Header.SetMethod(fasthttp.MethodPost)
	c.Request.SetRequestURI(path)
	c.Request.Header.SetContentType("application/json")
	c.Request.Header.Set("Authorization", "Bearer x")
	for i := 0; i+1 < len(headers); i += 2 {
		c.Request.Header.Set(headers[i], headers[i+1])
	}
	c.Request.SetBodyString(body)
	s.App().Handler()(c)
	var p Problem
	if c.Response.StatusCode() >= http.StatusBadRequest {
		require.NoError(t, json.Unmarshal(c.Response.Body(), &p), string(c.Response.Body()))
		require.LessOrEqual(t, len(c.Response.Body()), 8<<10)
	}
	return c.Response.StatusCode(), p
}

func TestABodyIsJudgedByItsDeclaration(t *testing.T) {
	t.Parallel()
	post := bodies(t)
	for body, want := range map[string]string{
		`{"name":"ab","until":null}`: "",
		`{"name":"ab","until":"2027-01-02T03:04:05Z","tags":["a"],"words":{"a":"b"},"parts":[{"name":"cd","until":null}],"raw":{"X":[null]}}`: "",
		`{"until":null}`:                                      "missing_field name",
		`{"name":"ab","until":null,"part":{}}`:                "missing_field part.name",
		`{"name":"ab","until":null,"part":null}`:              "bad_json part",
		`{"name":null,"until":null}`:                          "bad_json name",
		`{"name":"ab","until":null,"tags":null}`:              "bad_json tags",
		`{"name":"ab","until":null,"tags":["a",null]}`:        "bad_json tags[1]",
		`{"name":"ab","until":null,"words":{"k":null}}`:       "bad_json words.k",
		`{"name":"ab","until":null,"size":"7"}`:               "bad_json size",
		`{"name":"ab","until":null,"size":1.5}`:               "bad_json size",
		`{"name":"ab","until":null,"size":1e999}`:             "bad_json size",
		`{"name":["ab"],"until":null}`:                        "bad_json name",
		`{"name":{"a":["}"]},"until":null}`:                   "bad_json name",
		`{"name":"ab","until":null,"tags":"a"}`:               "bad_json tags",
		`{"name":"ab","until":null,"other":1}`:                "unknown_field other",
		`{"name":"ab","until":null,"part":{"other":[1]}}`:     "unknown_field part.other",
		`{"name":"a","until":null}`:                           "invalid_value name",
		`{"name":"AB","until":null}`:                          "invalid_value name",
		`{"name":"ab","until":null,"kind":"medium"}`:          "invalid_value kind",
		`{"name":"ab","until":null,"size":10}`:                "invalid_value size",
		`{"name":"ab","until":"yesterday"}`:                   "invalid_value until",
		`{"name":"ab","until":null,"tags":["abcde"]}`:         "invalid_value tags[0]",
		`{"name":"ab","until":null,"tags":["a","b","c","d"]}`: "invalid_value tags",
		`{"name":"ab","until":null,"raw":{"a":"\u0007"}}`:     "invalid_value raw",
		`[]`: "bad_json ", `null`: "bad_json ", `"x"`: "bad_json ", `{`: "bad_json ", `{}{}`: "bad_json ",
		"{\"name\":\"\xff\"}": "bad_json ",
	} {
		status, p := post("/strict", body)
		if want == "" {
			require.Equal(t, http.StatusNoContent, status, "%s: %+v", body, p)
			continue
		}
		require.NotEmpty(t, p.Errors, body)
		require.Equal(t, want, p.Errors[0].Code+" "+p.Errors[0].Field, body)
		require.Equal(t, p.Code == "invalid_value", status == http.StatusUnprocessableEntity, body)
	}
}

// The decoder takes a key in another case for the one it knows, and the last of two: neither may pass what is checked.
func TestAKeyInAnotherCaseOrTwiceIsRefusedAtEveryDepth(t *testing.T) {
	t.Parallel()
	post := bodies(t)
	bad := `"<b>not a name</b>"`
	for _, key := range []string{"NAME", "Name", "nAme", "name"} {
		twin := `"name":"ab","` + key + `":` + bad
		for _, path := range []string{"/strict", "/lenient"} {
			for _, body := range []string{
				`{` + twin + `,"until":null}`,
				`{"name":"ab","until":null,"part":{` + twin + `,"until":null}}`,
				`{"name":"ab","until":null,"parts":[{"name":"ab","until":null},{` + twin + `,"until":null}]}`,
			} {
				status, p := post(path, body)
				require.Equal(t, http.StatusBadRequest, status, "%s %s", path, body)
				require.Contains(t, p.Errors[0].Field, key)
			}
		}
	}
	for _, alone := range []string{
		`{"NAME":"ab","until":null}`, `{"name":"ab","until":null,"taGſ":["x"]}`,
		`{"name":"ab","until":null,"Kind":"huge"}`,
	} {
		for _, path := range []string{"/strict", "/lenient"} {
			status, p := post(path, alone)
			require.Equal(t, http.StatusBadRequest, status, alone)
			require.Equal(t, "unknown_field", p.Code, alone)
		}
	}
	status, p := post("/strict", `{"name":"ab","until":null,"words":{"a":"b","a":"c"}}`)
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "words.a", p.Errors[0].Field)
}

// What folded says is the same is what the decoder takes for the same.
func TestKeysFoldAsTheDecoderFoldsThem(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"task", "TASK", "taſk", "tasK", "tAſK", "täsk", "tasк", "task ", "ta_sk", ""} {
		var into struct {
			Task int `json:"task"`
		}
		require.NoError(t, json.Unmarshal([]byte(`{"`+key+`":7}`), &into))
		require.Equal(t, into.Task == 7, folded(key) == folded("task"), key)
	}
}

// A body of another version may have fields that this one does not know and lack some; Go writes lists that it lacks as
// null.
func TestALenientBodyTakesUnknownAndMissingFieldsButNotEveryAmount(t *testing.T) {
	t.Parallel()
	post := bodies(t)
	for _, body := range []string{
		`{}`, `{"later":{"NAME":null}}`,
		`{"tags":null,"part":null,"words":null,"until":null}`, `{"part":{"later":1}}`,
	} {
		status, p := post("/lenient", body)
		require.Equal(t, http.StatusNoContent, status, "%s: %+v", body, p)
	}
	for _, body := range []string{
		`{"name":null}`, `{"name":7}`, `null`, `[]`, `{` + neighbours(101) + `}`,
		`{"later":"\u0001"}`,
	} {
		status, _ := post("/lenient", body)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, status, body)
	}
}

func neighbours(count int) string {
	var text strings.Builder
	for i := range count {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(`"n` + strings.Repeat("x", i%7) + time.Duration(i).String() + `":1`)
	}
	return text.String()
}

// However much is wrong, the answer names a few places and the reading stops there.
func TestTheAnswerToABodyFullOfErrorsIsShort(t *testing.T) {
	t.Parallel()
	post := bodies(t)
	long := strings.Repeat("\u2028", 300_000)
	for what, body := range map[string]string{
		"unknown fields": `{` + neighbours(50_000) + `}`,
		"a long name":    `{"` + long + `":1}`,
		"long names":     `{` + strings.Repeat(`"`+strings.Repeat(`\"`, 1000)+`":1,`, 300) + `"x":1}`,
		"wrong items":    `{"name":"ab","until":null,"parts":[` + strings.Repeat(`1,`, 400_000) + `1]}`,
		"too many items": `{"name":"ab","until":null,"tags":[` + strings.Repeat(`"a",`, 200_000) + `"a"]}`,
		"deep":           strings.Repeat(`{"part":`, 9_000) + `1` + strings.Repeat(`}`, 9_000),
		"deep in raw":    `{"raw":` + strings.Repeat(`[`, 9_000) + strings.Repeat(`]`, 9_000) + `}`,
		"a long text":    `{"name":"ab","until":null,"note":"` + long + `"}`,
		"many members": `{"name":"ab","until":null,"words":{` + strings.ReplaceAll(neighbours(30_000), ":1",
			`:""`) + `}}`,
		"a number of digits": `{"name":"ab","until":null,"size":` + strings.Repeat("9", 1_000_000) + `}`,
	} {
		status, p := post("/strict", body)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, status, what)
		require.NotEmpty(t, p.Errors, what)
		require.LessOrEqual(t, len(p.Errors), mostListed, what)
	}
}

// Reading stops with the last error that the answer has room for: what follows costs no memory.
func TestAHundredThousandUnknownFieldsCostLittle(t *testing.T) {
	body, wanted := []byte(`{`+neighbours(50_000)+`}`), &shape{kind: object}
	few := testing.AllocsPerRun(5, func() { require.Error(t, judged(nil, body, wanted)) })
	require.Less(t, few, 1_000.0)
}

func TestAnInflatedBodyIsHeldToTheLimitOfTheOperation(t *testing.T) {
	t.Parallel()
	took := func(context.Context, *thingInput) (*struct{}, error) { return nil, nil } //nolint:nilnil // 204
	s, err := New(Options{
		Clock: clockwork.NewFakeClock(), License: entitlement.Fixed{State: entitlement.Active},
		Streams: NewStreams(),
	}, Routes{
		Post("/small", "x", access.Public(), took, BodyLimit(100)),
	})
	require.NoError(t, err)
	packed := func(text string) string {
		var out bytes.Buffer
		writer := gzip.NewWriter(&out)
		_, err := writer.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		return out.String()
	}
	gzipped := []string{"Content-Encoding", "gzip"}
	status, _ := posted(t, s, "/small", packed(`{"name":"ab","until":null}`), gzipped...)
	require.Equal(t, http.StatusNoContent, status)
	status, p := posted(t, s, "/small", packed(`{"name":"`+strings.Repeat("a", 10_000)+`"}`), gzipped...)
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	require.Equal(t, "body_too_large", p.Code)
	status, p = posted(t, s, "/small", "no gzip", gzipped...)
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "bad_json", p.Code)
	status, _ = posted(t, s, "/small", strings.Repeat(" ", 101))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
}
