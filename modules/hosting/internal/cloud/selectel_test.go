package cloud

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/hosting/hostingtest"
)

func countOf(calls []string, call string) (n int) {
	for _, one := range calls {
		if one == call {
			n++
		}
	}
	return n
}

const enters = "POST /identity/auth/tokens"

// One token serves all steps of an order; one that ended before its time is replaced by the next call.
func TestATokenOfAProjectIsKeptAsLongAsItCounts(t *testing.T) {
	t.Parallel()
	cloud := hostingtest.New(t, "selectel")
	cloud.Put(machine("selectel", 7))
	all := providers(t, &freely{})
	servers := func() error {
		client, err := all.Open("account", "selectel", addressOf("selectel", cloud.URL), credentials("selectel", cloud.Token))
		require.NoError(t, err)
		_, err = client.Servers(t.Context())
		return err
	}
	require.NoError(t, servers())
	require.NoError(t, servers())
	require.Equal(t, 1, countOf(cloud.Calls(), enters))
	cloud.EndTokens()
	require.NoError(t, servers())
	require.Equal(t, 1, countOf(cloud.Calls(), enters))
	all.now = func() time.Time { return time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC) }
	all.tokens.now = all.now
	require.NoError(t, servers())
	require.Equal(t, 1, countOf(cloud.Calls(), enters))
}

// Other credentials of the same account never use a token that was issued for the ones before.
func TestOtherCredentialsGetATokenOfTheirOwn(t *testing.T) {
	t.Parallel()
	cloud := hostingtest.New(t, "selectel")
	all := providers(t, &freely{})
	at := addressOf("selectel", cloud.URL)
	client, err := all.Open("account", "selectel", at, credentials("selectel", cloud.Token))
	require.NoError(t, err)
	_, err = client.Servers(t.Context())
	require.NoError(t, err)
	client, err = all.Open("account", "selectel", at, credentials("selectel", "another"))
	require.NoError(t, err)
	_, err = client.Servers(t.Context())
	require.Equal(t, CredentialsRefused, ProblemOf(err).Cause)
}

func TestARegionWithoutServersIsNamed(t *testing.T) {
	t.Parallel()
	cloud := hostingtest.New(t, "selectel")
	given := credentials("selectel", cloud.Token)
	given["region"] = "ru-99"
	client, err := providers(t, &freely{}).Open("account", "selectel", addressOf("selectel", cloud.URL), given)
	require.NoError(t, err)
	_, err = client.Servers(t.Context())
	require.Equal(t, Refused, ProblemOf(err).Cause)
	require.Contains(t, err.Error(), "ru-99")
}

// A server that is as it is wanted already is left alone, one that something else is done with is busy, and a user who
// may only read is told the role that is missing.
func TestActsAtSelectelHaveTheirAnswers(t *testing.T) {
	t.Parallel()
	client, cloud := open(t, "selectel")
	cloud.Put(machine("selectel", 7))
	id := hostingtest.SelectelID(7)
	_, err := client.Power(t.Context(), id, PowerOn)
	require.NoError(t, err)
	require.Zero(t, countOf(cloud.Calls(), "POST /compute/v2.1/servers/"+id+"/action"))
	building := machine("selectel", 8)
	building.Status = "BUILD"
	cloud.Put(building)
	_, err = client.Power(t.Context(), hostingtest.SelectelID(8), PowerOff)
	require.Equal(t, Busy, ProblemOf(err).Cause)
	require.True(t, ProblemOf(err).Passing())
	cloud.Allow("reader")
	_, err = client.Remove(t.Context(), id)
	require.Equal(t, RightMissing, ProblemOf(err).Cause)
	require.Len(t, cloud.Machines(), 2)
}

// What a kind cannot do it refuses, whoever asks.
func TestKindsThatMakeNothingRefuseToMake(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"aeza", "selectel"} {
		client, _ := open(t, kind)
		require.False(t, client.Kind.Can(CanCreate))
		_, err := client.Create(t.Context(), NewServer{})
		require.ErrorContains(t, err, "cannot do this", kind)
		_, err = client.Regions(t.Context())
		require.Error(t, err, kind)
		_, err = client.Plans(t.Context(), "")
		require.Error(t, err, kind)
		_, err = client.Images(t.Context())
		require.Error(t, err, kind)
		_, err = client.Marked(t.Context(), "mark")
		require.Error(t, err, kind)
	}
}

// Aeza: of several months the price is that of one, an hour has no day that it must be paid on, and errors have two
// forms.
func TestTermsAndErrorsOfAeza(t *testing.T) {
	t.Parallel()
	for term, want := range map[string]*Price{
		"hour": {150, "RUB", Hour}, "month": {300, "RUB", Month}, "quarter_year": {200, "RUB", Month},
		"half_year": {100, "RUB", Month}, "year": {1200, "RUB", Year}, "decade": nil,
	} {
		one := aezaService{Term: term, Prices: map[string]float64{
			"hour": 1.5, "month": 3, "quarter_year": 6, "half_year": 6, "year": 12,
		}}
		one.Timestamps.ExpiresAt = []byte("1798761600")
		require.Equal(t, want, one.price(), term)
		require.Equal(t, term == "hour", one.due() == nil, term)
	}
	old := Problem{Status: http.StatusBadRequest, Cause: Refused}
	explainAeza([]byte(`{"error":{"slug":"x","message":"no"}}`), &old)
	require.Equal(t, "no", old.Words)
	recent := Problem{Status: http.StatusConflict, Cause: Refused}
	explainAeza([]byte(`{"statusCode":409,"message":"Service has active task","error":"service.active_task"}`), &recent)
	require.Equal(t, Problem{Status: http.StatusConflict, Cause: Busy, Words: "Service has active task"}, recent)
}

// Some say when they may be asked again as a moment, some in seconds.
func TestWhenToAskAgainIsReadInBothForms(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for text, want := range map[string]time.Duration{
		"42": 42 * time.Second, "1800000060": time.Minute, "1700000000": 0, "soon": 0,
	} {
		require.Equal(t, want, after(http.Header{"X-Ratelimit-Reset": {text}}, now), text)
	}
}
