package hosting

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/hosting/internal/cloud"
	"panel/modules/nodes"
	"panel/modules/pools"
	"panel/platform/paneltest"
)

func TestTheModuleKeepsTheContract(t *testing.T) {
	paneltest.Check(t, Module(), nodes.Module(), domains.Module(), clients.Module(), flows.Module(), pools.Module())
}

// "kinds declare their fields and abilities."
func TestKindsDeclareTheirFieldsAndAbilities(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	var list KindList
	b.As(string(Manage)).Get(accountsPath + "/kinds").Is(http.StatusOK).JSON(&list)
	names := []string{}
	for _, k := range list.Items {
		names = append(names, k.Kind)
		require.NotEmpty(t, k.Abilities, k.Kind)
		if k.Kind != cloud.Custom {
			require.NotEmpty(t, k.Fields, k.Kind)
			require.Equal(t, k.Kind == "aeza", len(k.Rights) == 0, "%s: a key of Aeza may do all", k.Kind)
			require.NotEmpty(t, k.BaseURL, k.Kind)
		}
	}
	require.Equal(t, []string{
		"aeza", "custom", "digitalocean", "hetzner", "linode", "selectel", "timeweb", "vultr",
	}, names)
}

// Rule 8 of the routes: "The hosting-provider routes work and require permission core.cloud_providers".
func TestRule8TheRoutesRequireCoreCloudProviders(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	for _, path := range []string{
		"", "/kinds", "/" + account.ID, "/" + account.ID + "/servers",
		"/" + account.ID + "/plans",
	} {
		b.As("core.cloud_providers").Get(accountsPath + path).Is(http.StatusOK)
		b.As("nodes.view", "nodes.edit", "settings.manage").Get(accountsPath+path).
			Refused(http.StatusForbidden, "permission_denied")
		b.Anonymous().Get(accountsPath+path).Refused(http.StatusUnauthorized, "no_session")
	}
}

// "Secrets are write-only; reads show has_credentials only."
func TestCredentialsAreWriteOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	answer := b.Admin().Post(accountsPath, b.wanted("main")).Is(http.StatusCreated)
	require.Equal(t, true, answer.Value("has_credentials"))
	var added Account
	answer.JSON(&added)
	b.Admin().Patch(accountsPath+"/"+added.ID, fields{
		"revision": added.Revision, "credentials": fields{"api_token": "another-token-of-mine"},
	}).Is(http.StatusOK)
	said := string(answer.Body) + string(b.Admin().Get(accountsPath).Is(http.StatusOK).Body) +
		string(b.Admin().Get("/api/v1/audit").Is(http.StatusOK).Body)
	for _, secret := range []string{b.cloud.Token, "another-token-of-mine"} {
		require.NotContains(t, said, secret)
		var kept int
		require.NoError(t, b.DB.NewRaw("select count(*) from hosting_accounts where hosting_accounts::text like ?",
			"%"+secret+"%").Scan(t.Context(), &kept))
		require.Zero(t, kept, "a credential stands in the table in clear text")
	}
}

func TestAnAccountIsLookedAtWhenItIsAdded(t *testing.T) {
	t.Parallel()
	b := newBench(t, "digitalocean")
	b.cloud.Owes(12.5)
	added := b.add()
	require.Equal(t, stateOK, added.State)
	require.Empty(t, added.Cause)
	require.Equal(t, &cloud.Money{Amount: -1250, Currency: "USD"}, added.Balance)
	require.EqualValues(t, 25, added.Limits.Max)
	require.NotNil(t, added.CheckedAt)
	require.Equal(t, []string{accountAdded}, b.Recorded(objectAccount, added.ID))
}

// "test names the missing right": it is in the answer, and the account is kept whatever the provider says.
func TestATestNamesTheMissingRight(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	added := b.add()
	b.cloud.Allow("Read")
	test := func() (found Account) {
		b.Admin().Post(accountsPath+"/"+added.ID+"/test", nil).Is(http.StatusOK).JSON(&found)
		return found
	}
	found := test()
	require.Equal(t, stateLimited, found.State)
	require.Equal(t, cloud.RightMissing, found.Cause)
	require.Equal(t, []string{"Read & Write"}, found.MissingRights)

	b.cloud.Allow("*")
	require.Equal(t, stateOK, test().State)
	b.cloud.Token = "made anew"
	found = test()
	require.Equal(t, stateAuthFailed, found.State)
	require.Equal(t, cloud.CredentialsRefused, found.Cause)
	require.Equal(t, "unable to authenticate", found.Detail)
}

// An account that fails is told of once, and once that it works again; what may pass only from the third failure on.
func TestAFailureIsToldOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	added := b.add()
	test := func() { b.Admin().Post(accountsPath+"/"+added.ID+"/test", nil).Is(http.StatusOK) }
	news := b.Follow()
	good := b.cloud.Token
	b.cloud.Token = "another"
	test()
	test()
	require.Equal(t, Failed{Name: "main", State: stateAuthFailed, Cause: cloud.CredentialsRefused},
		news.Next(accountFailed).Data)
	b.cloud.Token = good
	test()
	news.Next(accountWorks)
	for range 2 {
		b.cloud.Break(3)
		test()
	}
	require.False(t, told(b, added.ID), "two failures that may pass were told")
	b.cloud.Break(3)
	test()
	require.True(t, told(b, added.ID))
	require.Equal(t, cloud.ProviderFailed, b.get(added.ID).Cause)
}

func told(b *bench, id string) (told bool) {
	b.t.Helper()
	require.NoError(b.t, b.DB.NewRaw("select told_failure from hosting_accounts where id = ?", id).Scan(b.t.Context(),
		&told))
	return told
}

func TestAChangeOfCredentialsIsLookedAtAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, "linode")
	body := b.wanted("main")
	body["credentials"] = fields{"api_token": "none-of-theirs"}
	var added Account
	b.Admin().Post(accountsPath, body).Is(http.StatusCreated).JSON(&added)
	require.Equal(t, stateAuthFailed, added.State)
	var changed Account
	path := accountsPath + "/" + added.ID
	b.Admin().Patch(path, fields{"revision": added.Revision, "credentials": fields{"api_token": b.cloud.Token}}).
		Is(http.StatusOK).JSON(&changed)
	require.Equal(t, stateOK, changed.State)
	b.Admin().Patch(path, fields{"revision": added.Revision, "label": "late"}).Refused(http.StatusConflict,
		"revision_conflict")
	b.Admin().Patch(path, fields{"label": "none"}).Refused(http.StatusBadRequest, "missing_field")
	require.Equal(t, []string{accountAdded, accountChanged}, b.Recorded(objectAccount, added.ID))
}

// Bad input: each has a clear error with a stable code, and a rejected value is never echoed.
func TestAccountsThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	b.add()
	b.Admin().Post(accountsPath, b.wanted("main")).Refused(http.StatusConflict, "name_taken")
	for name, change := range map[string]fields{
		"an unknown kind":       {"kind": "cloud-of-tomorrow"},
		"no token":              {"credentials": fields{}},
		"a field of another":    {"credentials": fields{"api_token": "t", "sesame": "open-sesame"}},
		"an address of itself":  {"base_url": "http://169.254.169.254/latest/meta-data"},
		"an address of a file":  {"base_url": "file:///etc/shadow"},
		"a label without text":  {"label": ""},
		"a token of two lines":  {"credentials": fields{"api_token": "open\nsesame"}},
		"a label that is large": {"label": string(slices.Repeat([]byte("x"), 65))},
	} {
		body := b.wanted("another")
		for key, value := range change {
			body[key] = value
		}
		answer := b.Admin().Post(accountsPath, body)
		answer.Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.NotContains(t, string(answer.Body), "sesame\"", name)
		require.NotContains(t, string(answer.Body), "169.254", name)
	}
	b.Admin().Post(accountsPath, fields{"kind": "custom", "label": "x", "color": 1}).Refused(http.StatusBadRequest,
		"unknown_field")
	b.Admin().Get(accountsPath+"/no-id").Refused(http.StatusNotFound, "not_found")
}

// A provider whose machines are entered by hand is never called, and has no way to be read.
func TestAnAccountByHandCallsNobody(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	added := b.byHand()
	require.Equal(t, stateOK, added.State)
	require.False(t, added.HasCredentials)
	path := accountsPath + "/" + added.ID
	b.Admin().Post(path+"/test", nil).Is(http.StatusOK)
	b.Admin().Post(path+"/sync", nil).Refused(http.StatusConflict, "not_able")
	b.Admin().Get(path+"/plans").Refused(http.StatusConflict, "not_able")
	b.Admin().Get(path+"/regions").Refused(http.StatusConflict, "not_able")
	require.Empty(t, b.cloud.Calls())
}

func TestRegionsAndPlansAreAskedOfTheProvider(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	path := accountsPath + "/" + b.add().ID
	var regions RegionList
	b.Admin().Get(path + "/regions").Is(http.StatusOK).JSON(&regions)
	require.Equal(t, cloud.Region{ID: "fsn1", Name: "Falkenstein", Country: "DE"}, regions.Items[0])
	var plans PlanList
	b.Admin().Get(path + "/plans?region=hel1").Is(http.StatusOK).JSON(&plans)
	require.Equal(t, &cloud.Price{Amount: 495, Currency: "EUR", Period: "month"}, plans.Items[0].Price)

	b.cloud.Busy(9, "120")
	answer := b.Admin().Get(path+"/plans").Refused(http.StatusBadGateway, "hosting_provider_error")
	require.Equal(t, cloud.RateLimited, answer.Text("cause"))
	b.cloud.Busy(0, "")
}

func TestAnAccountGoesWithWhatWasReadOfIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	b.cloud.Put(machine(1, "192.0.2.1"))
	added := b.add()
	require.Equal(t, "succeeded", b.sync(added.ID))
	b.Admin().Delete(accountsPath + "/" + added.ID).Is(http.StatusNoContent)
	b.Admin().Get(accountsPath+"/"+added.ID).Refused(http.StatusNotFound, "not_found")
	var left int
	require.NoError(t,
		b.DB.NewRaw("select (select count(*) from hosting_servers) + (select count(*) from hosting_paces)").
			Scan(t.Context(), &left))
	require.Zero(t, left)
	for _, call := range b.cloud.Calls() {
		require.NotContains(t, call, "DELETE", "removing an account changed something at the provider")
	}
	other := b.byHand()
	b.enter(other.ID, "ams-1", nil)
	b.Admin().Delete(accountsPath+"/"+other.ID).Refused(http.StatusConflict, "hosting_account_in_use")
}

// The pace of an account holds for all panels: it is a row of the database.
func TestTurnsLieApartOverAllPanels(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	id := b.add().ID
	one, another := newPace(b.DB, clockwork.NewRealClock()), newPace(b.DB, clockwork.NewRealClock())
	const perSecond, turns = 20, 6
	begun := time.Now()
	for i := range turns {
		p := one
		if i%2 == 1 {
			p = another
		}
		require.NoError(t, p.Turn(t.Context(), id, perSecond))
	}
	require.GreaterOrEqual(t, time.Since(begun), (turns-1)*time.Second/perSecond)
	require.NoError(t, one.Hold(t.Context(), id, time.Hour))
	var waits *cloud.Waits
	require.ErrorAs(t, another.Turn(t.Context(), id, perSecond), &waits)
	require.Greater(t, waits.For, 59*time.Minute)
}
