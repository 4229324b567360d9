package subscriptions_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/platform/paneltest"
)

// hold changes what flows tell of Anna's token.
func (s *stage) hold(change func(held *flowsapi.Subscriber)) {
	held := s.holds["ANNATOKEN"]
	change(&held)
	s.holds["ANNATOKEN"] = held
}

// Every form, by its name.
var forms = []string{"links", "xray", "sing-box", "clash", "stash"}

// What people call a flow goes into headers as one line of text, whatever is in it, and programs read it back.
func TestAHostileNameBreaksNoHeader(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for i, name := range []string{
		"a\r\nX-Injected: yes", "a\x00b", `quo"ted; filename="other"`, "Ünïcödé 漢字 🚀", "../../etc/passwd", " ", "\u202edetrever",
		strings.Repeat("long ", 60), "<script>alert(1)</script>",
	} {
		s.hold(func(held *flowsapi.Subscriber) { held.Name = name })
		answer := s.ask(anna, "v2rayNG/1.9", "*/*").Is(200)
		require.Empty(t, answer.Header.Get("X-Injected"), name)
		title, coded := strings.CutPrefix(answer.Header.Get("profile-title"), "base64:")
		require.True(t, coded, name)
		text, err := base64.StdEncoding.DecodeString(title)
		require.NoError(t, err, name)
		require.NotContains(t, string(text), "\n", name)
		for header := range answer.Header {
			require.NotContains(t, answer.Header.Get(header), "\r", name)
		}
		_, _, err = mime.ParseMediaType(answer.Header.Get("Content-Disposition"))
		require.NoError(t, err, name)
		shown := s.ask(anna, chrome, asksForPages).Is(200)
		require.NotContains(t, string(shown.Body), "<script>alert", name)
		if i%4 == 3 {
			s.clock.Advance(time.Minute)
		}
	}
}

// A token that never was, one of another form, and one of odd signs get one answer: same status, body and headers.
func TestWhatIsNoTokenIsToldApartByNothing(t *testing.T) {
	t.Parallel()
	s := setup(t)
	plain := s.ask("/s/UNKNOWN", "v2rayNG/1.9", "*/*").Refused(404, "not_found")
	// instance and request_id name the request, so they differ by nature.
	same := func(answer *paneltest.Answer) map[string]any {
		body := map[string]any{}
		require.NoError(t, json.Unmarshal(answer.Body, &body))
		delete(body, "instance")
		delete(body, "request_id")
		return body
	}
	for _, token := range []string{
		"annatoken", "ANNATOKEN%20", "ANNATOKE", "ANNATOKENN", strings.Repeat("A", 800), "%00", "'or 1=1--", "%F0%9F%9A%80", "..%2fs",
	} {
		answer := s.ask("/s/"+token, "v2rayNG/1.9", "*/*")
		require.Equal(t, 404, answer.Status, token)
		require.Equal(t, same(plain), same(answer), token)
		require.Equal(t, plain.Header.Get("Cache-Control"), answer.Header.Get("Cache-Control"), token)
		require.NotContains(t, string(answer.Body), "ANNATOKE", token)
	}
	require.Equal(t, "no-store", plain.Header.Get("Cache-Control"))
}

// Figures are whole and never negative for programs to misread: nothing used, no end, and as much as a number holds.
func TestFiguresOfEverySizeAreWritten(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for wanted, usage := range map[string]flowsapi.Usage{
		"upload=0; download=0; total=0":                                     {},
		"upload=9223372036854775807; download=0; total=9223372036854775807": {Up: 1<<63 - 1, Total: 1<<63 - 1},
		"upload=1; download=2; total=0; expire=1":                           {Up: 1, Down: 2, Expires: time.Unix(1, 0)},
	} {
		s.hold(func(held *flowsapi.Subscriber) { held.Usage = &usage })
		require.Equal(t, wanted, s.ask(anna, "v2rayNG/1.9", "*/*").Is(200).Header.Get("subscription-userinfo"))
	}
	s.hold(func(held *flowsapi.Subscriber) { held.Usage = nil })
	require.NotContains(t, s.ask(anna, "v2rayNG/1.9", "*/*").Is(200).Header, "subscription-userinfo")
}

// The connections of several flows are all in one subscription, each under its own name, in every form.
func TestTheFlowsOfAClientAreInOneSubscription(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const flows = 20
	s.hold(func(held *flowsapi.Subscriber) {
		first := held.Connections[0]
		held.Connections = nil
		for i := range flows {
			one := first
			one.Name, one.Host = fmt.Sprintf("Flow %02d", i), fmt.Sprintf("n%02d.example.org", i)
			held.Connections = append(held.Connections, one)
		}
	})
	for _, form := range forms {
		text := string(s.ask(anna+"?format="+form, "x", "*/*").Is(200).Body)
		if form == "links" {
			plain, err := base64.StdEncoding.DecodeString(text)
			require.NoError(t, err)
			text = string(plain)
			require.Len(t, strings.Fields(text), flows)
		}
		for i := range flows {
			require.Contains(t, text, fmt.Sprintf("n%02d.example.org", i), form)
			name := fmt.Sprintf("Flow %02d", i)
			require.True(t, strings.Contains(text, name) || strings.Contains(text, url.PathEscape(name)), form)
		}
	}
}

// A subscription without a connection, for instance of a flow that is not installed yet, is an answer of every form
// that programs can read, not an error that they would show.
func TestASubscriptionWithoutAConnectionIsAnswered(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.hold(func(held *flowsapi.Subscriber) { held.Connections = nil })
	for _, form := range forms {
		answer := s.ask(anna+"?format="+form, "x", "*/*").Is(200)
		require.NotContains(t, string(answer.Body), "6ba7b810", form)
		if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind == "application/json" {
			require.True(t, json.Valid(answer.Body), form)
		}
	}
	require.Contains(t, string(s.ask(anna, chrome, asksForPages).Is(200).Body), "<html")
}

// An address is read by GET alone, and query parameters that trackers add change nothing.
func TestOnlyReadingIsAnswered(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		require.Contains(t, []int{404, 405}, s.Anonymous().Do(method, anna, nil).Status, method)
	}
	plain := s.ask(anna, "v2rayNG/1.9", "*/*").Is(200)
	require.Equal(t, plain.Body, s.ask(anna+"?utm_source=mail&fbclid=1", "v2rayNG/1.9", "*/*").Is(200).Body)
}
