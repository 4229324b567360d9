package authority

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/licensedoc"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type fixture struct {
	*Authority
	t     *testing.T
	clock *clockwork.FakeClock
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	clock := clockwork.NewFakeClockAt(start)
	a, err := Open(t.TempDir(), clock)
	require.NoError(t, err)
	return fixture{a, t, clock}
}

func (f fixture) issue(activations int) (License, licensedoc.Key) {
	f.t.Helper()
	license, key, err := f.Issue(Order{Plan: "Pro", ValidUntil: start.AddDate(1, 0, 0), Activations: activations})
	require.NoError(f.t, err)
	return license, key
}

func request(key licensedoc.Key, instance string) licensedoc.Request {
	return licensedoc.Request{Key: key.Reveal(), InstanceID: instance, Nonce: "0123456789abcdef"}
}

// verdict asks and checks the answer as a panel would.
func (f fixture) verdict(ask func(licensedoc.Request) (string, licensedoc.Document, error),
	r licensedoc.Request,
) licensedoc.Document {
	f.t.Helper()
	text, _, err := ask(r)
	require.NoError(f.t, err)
	trusted, err := f.PublicKey()
	require.NoError(f.t, err)
	d, err := licensedoc.Verify(text, trusted)
	require.NoError(f.t, err)
	return d
}

func TestAnActivationBindsKeyAndInstallation(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	license, key := f.issue(1)
	instance := uuid.NewString()
	d := f.verdict(f.Activate, request(key, instance))
	require.Equal(t, licensedoc.Active, d.Verdict)
	require.Equal(t, license.ID, d.LicenseID)
	require.Equal(t, key.Hash(instance), d.KeyHash)
	require.Equal(t, instance, d.InstanceID)
	require.Equal(t, Plans["Pro"], d.Features)
	require.Equal(t, "0123456789abcdef", d.Nonce)
}

func TestActivationsAreCountedPerKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, key := f.issue(2)
	first, second, third := uuid.NewString(), uuid.NewString(), uuid.NewString()
	require.Equal(t, licensedoc.Active, f.verdict(f.Activate, request(key, first)).Verdict)
	require.Equal(t, licensedoc.Active, f.verdict(f.Activate, request(key, second)).Verdict)
	require.Equal(t, licensedoc.Active, f.verdict(f.Activate, request(key, first)).Verdict,
		"the same installation again")
	require.Equal(t, licensedoc.ReasonActivations, f.verdict(f.Activate, request(key, third)).Reason)
	require.NoError(t, f.Release(request(key, first)))
	require.Equal(t, licensedoc.Active, f.verdict(f.Activate, request(key, third)).Verdict, "a released place is free")
}

func TestConcurrentActivationsNeverExceedTheLicense(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	license, key := f.issue(3)
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() { _, _, _ = f.Activate(request(key, uuid.NewString())) })
	}
	group.Wait()
	licenses, err := f.List()
	require.NoError(t, err)
	require.Equal(t, license.ID, licenses[0].ID)
	require.Len(t, licenses[0].Installations, 3)
}

func TestEveryRefusalIsSignedAndNamed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	license, key := f.issue(1)
	instance := uuid.NewString()
	stranger, err := licensedoc.NewKey()
	require.NoError(t, err)
	require.Equal(t, licensedoc.ReasonUnknownKey, f.verdict(f.Activate, request(stranger, instance)).Reason)
	require.Equal(t, licensedoc.ReasonReleased, f.verdict(f.Refresh, request(key, instance)).Reason)
	f.verdict(f.Activate, request(key, instance))
	f.clock.Advance(365 * 24 * time.Hour)
	require.Equal(t, licensedoc.ReasonExpired, f.verdict(f.Refresh, request(key, instance)).Reason)
	_, err = f.Extend(license.ID, f.clock.Now().AddDate(1, 0, 0))
	require.NoError(t, err)
	require.Equal(t, licensedoc.Active, f.verdict(f.Refresh, request(key, instance)).Verdict)
	_, err = f.Revoke(license.ID)
	require.NoError(t, err)
	for _, ask := range []func(licensedoc.Request) (string, licensedoc.Document, error){f.Activate, f.Refresh} {
		d := f.verdict(ask, request(key, instance))
		require.Equal(t, licensedoc.ReasonRevoked, d.Reason)
		require.Empty(t, d.Features)
	}
}

func TestAPanelWithTheFirstKeyFollowsManyRotations(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, key := f.issue(1)
	first, err := f.PublicKey()
	require.NoError(t, err)
	for range 3 {
		_, err = f.Rotate()
		require.NoError(t, err)
	}
	text, _, err := f.Activate(request(key, uuid.NewString()))
	require.NoError(t, err)
	d, err := licensedoc.Verify(text, first)
	require.NoError(t, err)
	require.NotEqual(t, first.ID(), d.KeyID)
}

func TestAnOfflineDocumentTakesAPlaceAndAnswersNoRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	license, key := f.issue(1)
	text, err := f.Offline(key.Reveal(), uuid.NewString())
	require.NoError(t, err)
	trusted, err := f.PublicKey()
	require.NoError(t, err)
	d, err := licensedoc.Verify(text, trusted)
	require.NoError(t, err)
	require.True(t, d.Offline())
	_, err = f.Offline(key.Reveal(), uuid.NewString())
	require.ErrorIs(t, err, ErrRequest)
	_, err = f.Forget(license.ID, d.InstanceID)
	require.NoError(t, err)
	_, err = f.Offline(key.Reveal(), uuid.NewString())
	require.NoError(t, err)
}

func TestOrdersThatMakeNoLicenseAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	good := Order{Plan: "Pro", ValidUntil: start.AddDate(1, 0, 0), Activations: 1}
	for name, change := range map[string]func(*Order){
		"no plan":              func(o *Order) { o.Plan = "" },
		"unknown plan":         func(o *Order) { o.Plan = "Gold" },
		"markup":               func(o *Order) { o.Plan = "<b>" },
		"feature with a space": func(o *Order) { o.Features = []string{"a b"} },
		"over already":         func(o *Order) { o.ValidUntil = start },
		"no activations":       func(o *Order) { o.Activations = 0 },
		"too many":             func(o *Order) { o.Activations = maxActivations + 1 },
		"long note":            func(o *Order) { o.Note = string(make([]byte, maxNote+1)) },
	} {
		order := good
		change(&order)
		_, _, err := f.Issue(order)
		require.ErrorIs(t, err, ErrRequest, name)
	}
	custom := good
	custom.Plan, custom.Features = "Gold", []string{"flows", "backups", "flows"}
	license, _, err := f.Issue(custom)
	require.NoError(t, err)
	require.Equal(t, []string{"backups", "flows"}, license.Features)
}

func TestUnknownLicensesAndMalformedRequestsAreFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := f.Revoke("nothing")
	require.ErrorIs(t, err, ErrNotFound)
	_, key := f.issue(1)
	for _, r := range []licensedoc.Request{
		{},
		{Key: "PNL-AAAA-BBBB-CCCC", InstanceID: uuid.NewString(), Nonce: "0123456789abcdef"},
		{Key: key.Reveal(), InstanceID: "x", Nonce: "0123456789abcdef"},
		{Key: key.Reveal(), InstanceID: uuid.NewString(), Nonce: "short"},
	} {
		_, _, err := f.Activate(r)
		require.ErrorIs(t, err, ErrRequest)
	}
}

func TestTheStoreHoldsNoKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, key := f.issue(1)
	f.verdict(f.Activate, request(key, uuid.NewString()))
	requireAbsent(t, f.store.path, key.Reveal(), key.Reveal()[4:13])
}
