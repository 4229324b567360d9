package cloud

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/hosting/hostingtest"
)

// heard is a call as it went over the wire.
type heard struct {
	method, address, body string
	header                http.Header
}

// tapped is an account whose calls are heard on their way to the provider.
func tapped(t *testing.T, kind string) (client *Client, cloud *hostingtest.Cloud, calls func() []heard) {
	t.Helper()
	cloud = hostingtest.New(t, kind)
	there, err := url.Parse(strings.TrimSuffix(cloud.URL, "/api"))
	require.NoError(t, err)
	onward := httputil.NewSingleHostReverseProxy(there)
	var mu sync.Mutex
	var all []heard
	tap := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		all = append(all, heard{r.Method, r.URL.String(), string(body), r.Header.Clone()})
		mu.Unlock()
		onward.ServeHTTP(w, r)
	}))
	t.Cleanup(tap.Close)
	client = openAt(t, &freely{}, kind, tap.URL+"/api", cloud.Token)
	return client, cloud, func() []heard {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

// everything asks all that a kind can answer, the acts at the end.
func everything(t *testing.T, kind string, client *Client, cloud *hostingtest.Cloud) {
	t.Helper()
	cloud.Put(machine(kind, 7))
	_, err := client.Look(t.Context())
	require.NoError(t, err, kind)
	all, err := client.Servers(t.Context())
	require.NoError(t, err, kind)
	if client.Kind.Can(CanCreate) {
		_, errRegions := client.Regions(t.Context())
		_, errPlans := client.Plans(t.Context(), "")
		_, errImages := client.Images(t.Context())
		_, errCreate := client.Create(t.Context(), wantedOf(kind))
		_, errMarked := client.Marked(t.Context(), Mark("order"))
		require.NoError(t, errors.Join(errRegions, errPlans, errImages, errCreate, errMarked), kind)
	}
	_, errServer := client.Server(t.Context(), all[0].ID)
	_, errPower := client.Power(t.Context(), all[0].ID, PowerOff)
	_, errRemove := client.Remove(t.Context(), all[0].ID)
	require.NoError(t, errors.Join(errServer, errPower, errRemove), kind)
}

// "A secret appears in no log, error, URL or argument list": a token travels in its one header and nowhere else.
func TestATokenIsSentInItsHeaderAlone(t *testing.T) {
	t.Parallel()
	for _, kind := range called {
		if kind == "selectel" { // which has a password
			continue
		}
		client, cloud, calls := tapped(t, kind)
		everything(t, kind, client, cloud)
		name, value := "Authorization", "Bearer "+cloud.Token
		if kind == "aeza" {
			name, value = "X-Api-Key", cloud.Token
		}
		require.GreaterOrEqual(t, len(calls()), 5, kind)
		for _, call := range calls() {
			require.Equal(t, value, call.header.Get(name), "%s %s", kind, call.address)
			require.NotContains(t, call.address, cloud.Token, kind)
			require.NotContains(t, call.body, cloud.Token, kind)
			call.header.Del(name)
			require.NotContains(t, fmt.Sprint(call.header), cloud.Token, "%s in another header", kind)
		}
	}
}

// The password of a service user is sent once, in the body of the question for a token.
func TestAPasswordIsSentForATokenAlone(t *testing.T) {
	t.Parallel()
	client, cloud, calls := tapped(t, "selectel")
	cloud.Put(machine("selectel", 7))
	_, err := client.Servers(t.Context())
	require.NoError(t, err)
	require.Len(t, calls(), 1)
	call := calls()[0]
	require.Equal(t, "POST /api/identity/auth/tokens", call.method+" "+call.address)
	require.Equal(t, 1, strings.Count(call.body, `"`+cloud.Token+`"`))
	require.NotContains(t, fmt.Sprint(call.header), cloud.Token)
}

// counting answers all calls in one way, and counts them.
func counting(t *testing.T, answer http.HandlerFunc) (root string, calls *atomic.Int64) {
	t.Helper()
	calls = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, calls
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// A provider that sends the panel elsewhere is refused: who answers there gets no token, nor anything else.
func TestNobodyIsLedElsewhere(t *testing.T) {
	t.Parallel()
	elsewhere, asked := counting(t, status(http.StatusOK))
	for _, code := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect} {
		root, _ := counting(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere+r.URL.Path, code)
		})
		for _, kind := range called {
			client := openAt(t, &freely{}, kind, root, "token")
			_, err := client.Servers(t.Context())
			require.Equal(t, Refused, ProblemOf(err).Cause, "%s after %d", kind, code)
			_, err = client.Remove(t.Context(), "1")
			require.Equal(t, Refused, ProblemOf(err).Cause, "%s after %d", kind, code)
		}
	}
	require.Zero(t, asked.Load())
}

// acting are the kinds whose acts are one call.
var acting = []string{"aeza", "digitalocean", "hetzner", "linode", "timeweb", "vultr"}

// What changes something is sent once. Whether it may have had an effect goes by the answer: a failure hides that, a
// refusal does not.
func TestWhatChangesSomethingIsSentOnce(t *testing.T) {
	t.Parallel()
	for code, unsure := range map[int]bool{
		http.StatusInternalServerError: true, http.StatusBadGateway: true, http.StatusServiceUnavailable: true,
		http.StatusBadRequest: false, http.StatusForbidden: false, http.StatusNotFound: false,
	} {
		root, calls := counting(t, status(code))
		for _, kind := range acting {
			client := openAt(t, &freely{}, kind, root, "token")
			for name, act := range map[string]func() error{
				"reboot": func() error { _, err := client.Power(t.Context(), "1", Reboot); return err },
				"remove": func() error { _, err := client.Remove(t.Context(), "1"); return err },
			} {
				before := calls.Load()
				err := act()
				require.Equal(t, unsure, ProblemOf(err).Sent, "%s: %s after %d", kind, name, code)
				require.Equal(t, int64(1), calls.Load()-before, "%s: %s after %d", kind, name, code)
			}
		}
	}
}

// An act that no answer comes to may have had an effect.
func TestAnActWithoutAnAnswerMayHaveHadAnEffect(t *testing.T) {
	t.Parallel()
	root, _ := counting(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for _, kind := range acting {
		_, err := openAt(t, &freely{}, kind, root, "token").Remove(t.Context(), "1")
		require.Equal(t, Unreachable, ProblemOf(err).Cause, kind)
		require.True(t, ProblemOf(err).Sent, kind)
		require.Zero(t, ProblemOf(err).Status, kind)
	}
}

// fixed is a pace whose turns and holds all end in one way.
type fixed struct {
	turn, hold error
	holds      []time.Duration
}

func (f *fixed) Turn(context.Context, string, int) error { return f.turn }

func (f *fixed) Hold(_ context.Context, _ string, wait time.Duration) error {
	f.holds = append(f.holds, wait)
	return f.hold
}

// Without a turn nobody is asked: a provider that wants to be left alone is so, and had no part in the act.
func TestWithoutATurnNobodyIsAsked(t *testing.T) {
	t.Parallel()
	root, calls := counting(t, status(http.StatusOK))
	client := openAt(t, &fixed{turn: &Waits{For: 42 * time.Second}}, "linode", root, "token")
	_, err := client.Power(t.Context(), "1", Reboot)
	require.Equal(t, &Problem{
		Service: "Linode", Cause: RateLimited, Words: "the provider asked to be left alone for a while",
		After: 42 * time.Second,
	}, ProblemOf(err))
	require.Equal(t, 42*time.Second, ProblemOf(err).Fault().RetryAfter)
	_, err = client.Look(t.Context())
	require.Equal(t, RateLimited, ProblemOf(err).Cause)
	away := errors.New("the database is away")
	_, err = openAt(t, &fixed{turn: away}, "linode", root, "token").Look(t.Context())
	require.ErrorIs(t, err, away)
	require.Nil(t, ProblemOf(err), "it is no problem of the provider")
	require.Zero(t, calls.Load())
}

// However long a provider wants to be left alone, it is for a second at least and an hour at most, for all panels.
func TestAProviderIsLeftAloneForASecondToAnHour(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		name, value string
		want        time.Duration
	}{
		{"X-None", "7", time.Second},
		{"Retry-After", "0", time.Second},
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", "-7", time.Second},
		{"Retry-After", "Fri, 27 Nov 2026 12:00:30 GMT", time.Second},
		{"Retry-After", "86400", time.Hour},
		{"Retry-After", "10000000000", time.Hour},
		{"Retry-After", "9223372036854775807", time.Hour},
		{"Ratelimit-Reset", "30", 30 * time.Second},
		{"Ratelimit-Reset", "1000000000", time.Second},
		{"X-Ratelimit-Reset", "1000", 1000 * time.Second},
		{"X-Ratelimit-Reset", "9223372036854775807", time.Hour},
	} {
		root, _ := counting(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(one.name, one.value)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		turns := &fixed{hold: errors.New("the database is away")}
		_, err := openAt(t, turns, "linode", root, "token").Power(t.Context(), "1", Reboot)
		require.Equal(t, []time.Duration{one.want}, turns.holds, "%s: %s", one.name, one.value)
		require.Equal(t, one.want, ProblemOf(err).After)
		require.ErrorIs(t, err, turns.hold, "that others were not told is told")
	}
	both := http.Header{"Retry-After": {"5"}, "Ratelimit-Reset": {"100"}}
	require.Equal(t, 5*time.Second, after(both, time.Unix(0, 0)), "what is meant for this call goes before the rest")
}

// A list is read page by page with the cursor of the page before; of one that has no end nothing counts.
func TestListsAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	r, asked := &rest{kind: &Kind{Title: "Somebody"}}, 0
	list, err := pages(r, func(number int, cursor string) ([]int, string, error) {
		asked++
		require.Equal(t, asked, number)
		require.Equal(t, []string{"", "b", "c"}[number-1], cursor)
		return []int{number, -number}, []string{"b", "c", ""}[number-1], nil
	})
	require.NoError(t, err)
	require.Equal(t, []int{1, -1, 2, -2, 3, -3}, list)
	list, err = pages(r, func(int, string) ([]int, string, error) { return nil, "", nil })
	require.NoError(t, err)
	require.NotNil(t, list)
	require.Empty(t, list)
	broken := errors.New("broken")
	list, err = pages(r, func(number int, _ string) ([]int, string, error) {
		return []int{number}, "x", map[int]error{2: broken}[number]
	})
	require.ErrorIs(t, err, broken)
	require.Nil(t, list, "a part of a list is none")
}

func TestAListWithoutAnEndIsGivenUp(t *testing.T) {
	t.Parallel()
	r := &rest{kind: &Kind{Title: "Somebody"}}
	for name, one := range map[string]struct {
		next  func(number int) string
		asked int
	}{
		"always another page": {strconv.Itoa, mostPages},
		"the same page again": {func(int) string { return "x" }, 2},
		"in a circle":         {func(number int) string { return []string{"a", "b", "c"}[number%3] }, 4},
	} {
		asked := 0
		list, err := pages(r, func(number int, _ string) ([]int, string, error) {
			asked++
			return []int{number}, one.next(number), nil
		})
		require.Nil(t, list, name)
		require.Equal(t, one.asked, asked, name)
		require.Equal(t, &Problem{
			Service: "Somebody", Cause: AnswerUnreadable, Status: http.StatusOK, Words: "a list has no end",
		}, ProblemOf(err), name)
	}
}

// What a provider says is shown without the credentials that it repeats, as text, and in part.
func TestWordsOfAProviderAreShownInPartAndWithoutSecrets(t *testing.T) {
	t.Parallel()
	r := &rest{secrets: []string{"sesame", "hunter2"}}
	require.Equal(t, "no *** here, nor ***: ***", r.clean("no sesame here, nor hunter2: sesame"))
	require.Equal(t, "a?b", r.clean("a\xff\xfeb"))
	require.Equal(t, strings.Repeat("я", 200), r.clean(strings.Repeat("я", 201)))
	require.NotContains(t, r.clean(strings.Repeat("x", 197)+"sesame"), "ses", "the end must not cut a secret in two")
	root, _ := counting(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"message":"You are missing the required permission token-of-ours."}`))
	})
	_, err := openAt(t, &freely{}, "digitalocean", root, "token-of-ours").Servers(t.Context())
	require.Equal(t, []string{"***"}, ProblemOf(err).Missing)
	require.NotContains(t, err.Error(), "token-of-ours")
}

// One token for a project serves until five minutes before its end, and what has ended is forgotten.
func TestASessionCountsUntilShortlyBeforeItsEnd(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	now := began
	kept := newTokens(func() time.Time { return now })
	kept.put("a", session{token: "one", ends: began.Add(time.Hour)})
	now = began.Add(55*time.Minute - time.Second)
	found, known := kept.get("a")
	require.True(t, known)
	require.Equal(t, "one", found.token)
	now = began.Add(55 * time.Minute)
	_, known = kept.get("a")
	require.False(t, known)
	_, known = kept.get("b")
	require.False(t, known)
	now = began.Add(time.Hour + time.Second)
	kept.put("b", session{token: "two", ends: began.Add(2 * time.Hour)})
	require.Len(t, kept.known, 1, "what has ended is still kept")
	kept.forget("b")
	_, known = kept.get("b")
	require.False(t, known)
}

// A session is kept for the very credentials and the address that it was issued for, under a name that tells neither.
func TestASessionBelongsToItsCredentials(t *testing.T) {
	t.Parallel()
	given := Credentials{"username": "anna", "password": "sesame"}
	place := placeOf("https://a.example", given)
	require.Equal(t, place, placeOf("https://a.example", Credentials{"password": "sesame", "username": "anna"}))
	require.NotContains(t, place, "sesame")
	for name, other := range map[string]string{
		"another address":  placeOf("https://b.example", given),
		"another password": placeOf("https://a.example", Credentials{"username": "anna", "password": "sesame2"}),
		"another field":    placeOf("https://a.example", Credentials{"username": "anna", "passwort": "sesame"}),
		"one field more":   placeOf("https://a.example", Credentials{"username": "anna", "password": "sesame", "x": ""}),
		"the other way":    placeOf("https://a.example", Credentials{"username": "sesame", "password": "anna"}),
	} {
		require.NotEqual(t, place, other, name)
	}
}
