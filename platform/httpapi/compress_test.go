package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"panel/platform/access"
	"panel/platform/entitlement"
)

// long is a text worth compressing.
var long = strings.Repeat("a node of the fleet, ", 500)

type longOutput struct {
	Body struct {
		Text string `json:"text"`
	}
}

func longAnswer(context.Context, *struct{}) (*longOutput, error) {
	out := &longOutput{}
	out.Body.Text = long
	return out, nil
}

func withTag(c *fiber.Ctx) error {
	c.Set(fiber.HeaderETag, `"7"`)
	return c.SendString(long)
}

func piece(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentRange, "bytes 0-9/10500")
	return c.Status(http.StatusPartialContent).SendString(long)
}

func live(c *fiber.Ctx) error {
	c.Context().SetBodyStream(strings.NewReader(long), -1)
	return nil
}

// longServer has an operation of each kind, and all answer with the same long text.
func longServer(t *testing.T) fasthttp.RequestHandler {
	t.Helper()
	s, err := New(Options{
		Clock: clockwork.NewRealClock(), Streams: NewStreams(), Denials: silent{},
		License:  entitlement.Fixed{State: entitlement.Active},
		Sessions: oneSession{access.Caller{Kind: access.Admin, Permissions: access.Set{"*"}}},
	}, Routes{
		Get("/list", "List", access.Session(), longAnswer),
		Post("/secret", "Show once", access.Session(), longAnswer),
		Get("/revealing", "Show a secret", access.Session(), longAnswer, Reveals()),
		Get("/open", "Show to anybody", access.Public(), longAnswer),
		Get("/lasting", "Send for long", access.Session(), longAnswer, Lasts()),
		Raw(http.MethodGet, "/tagged", "Show with a tag", access.Session(), withTag),
		Raw(http.MethodGet, "/piece", "Show a piece", access.Session(), piece),
		Raw(http.MethodGet, "/live", "Show live", access.Session(), live),
	})
	require.NoError(t, err)
	return s.App().Handler()
}

func longAnswerOf(handle fasthttp.RequestHandler, method, path, accepts string) *fasthttp.Response {
	c := &fasthttp.RequestCtx{}
	c.Request.Header.SetMethod(method)
	c.Request.SetRequestURI(path)
	c.Request.Header.Set("Authorization", "Bearer ps_0123456789012345678901234567890123456789012")
	c.Request.Header.Set("Accept-Encoding", accepts)
	handle(c)
	return &c.Response
}

func TestWhatASessionReadsIsCompressedForWhoAcceptsIt(t *testing.T) {
	t.Parallel()
	handle := longServer(t)
	plain := longAnswerOf(handle, http.MethodGet, "/list", "")
	packed := longAnswerOf(handle, http.MethodGet, "/list", "gzip, deflate, br")
	require.Equal(t, "gzip", string(packed.Header.ContentEncoding()))
	require.Less(t, len(packed.Body()), len(plain.Body())/10)
	reader, err := gzip.NewReader(bytes.NewReader(packed.Body()))
	require.NoError(t, err)
	unpacked, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, string(plain.Body()), string(unpacked))
	for _, answer := range []*fasthttp.Response{plain, packed} {
		require.Equal(t, "Accept-Encoding", string(answer.Header.Peek("Vary")), "a cache keeps the two apart")
	}
	require.Empty(t, longAnswerOf(handle, http.MethodGet, "/list", "gzip;q=0").Header.ContentEncoding())
}

func TestSecretsStreamsAndPiecesAreNeverCompressed(t *testing.T) {
	t.Parallel()
	handle := longServer(t)
	for path, method := range map[string]string{
		"/secret": http.MethodPost, "/revealing": http.MethodGet, "/open": http.MethodGet, "/lasting": http.MethodGet,
		"/piece": http.MethodGet, "/live": http.MethodGet,
	} {
		answer := longAnswerOf(handle, method, path, "gzip")
		require.Empty(t, string(answer.Header.ContentEncoding()), path)
		require.Contains(t, string(answer.Body()), long, path)
	}
}

// The tag of other bytes must not be the strong one of these.
func TestACompressedAnswerHasAWeakTag(t *testing.T) {
	t.Parallel()
	handle := longServer(t)
	require.Equal(t, `"7"`, string(longAnswerOf(handle, http.MethodGet, "/tagged", "").Header.Peek("ETag")))
	require.Equal(t, `W/"7"`, string(longAnswerOf(handle, http.MethodGet, "/tagged", "gzip").Header.Peek("ETag")))
}
