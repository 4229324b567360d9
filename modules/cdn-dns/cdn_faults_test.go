package cdndns

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/dnstest"
	"panel/modules/cdn-dns/internal/cdn"
	"panel/modules/flows/flowsapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// atOnce has applies call a stage at the same time until none of them waits. It gives what they came to.
func (f *fronting) atOnce(stage flowsapi.Stage, applies ...flowsapi.Apply) []flowsapi.Result {
	f.t.Helper()
	results, errs := make([]flowsapi.Result, len(applies)), make([]error, len(applies))
	var work sync.WaitGroup
	for i, a := range applies {
		work.Go(func() {
			for range 200 {
				var outcome flowsapi.Outcome
				outcome, errs[i] = stage.Do(f.t.Context(), a)
				if results[i] = outcome.Result; errs[i] != nil || outcome.Result != flowsapi.Again {
					return
				}
			}
		})
	}
	work.Wait()
	for _, err := range errs {
		require.NoError(f.t, err)
	}
	return results
}

// Several flows with one host name are applied at the same time, by whichever panels: none of them fails over what
// another one makes, it is made once, and told once.
func TestAppliesOfOneNameMakeItsNetworkOnce(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	entries := []flowsapi.Entry{f.entry("203.0.113.7", "n1", "example.com")}
	all := make([]flowsapi.Apply, 4)
	for i := range all {
		all[i] = applyOf(database.NewID(), nil, entries)
	}
	for _, result := range f.atOnce(f.provision, all...) {
		require.Equal(t, flowsapi.Done, result)
	}
	require.Equal(t, []string{"n1.example.com A 203.0.113.7"}, f.proxied())
	require.Len(t, f.resources()[0].FlowIDs, len(all))
	require.Equal(t, 1, f.count("select count(*) from cdn_resources"))
	require.Equal(t, 1, f.count("select count(*) from journal where action = 'dns.record_written'"))
	for i := range all {
		require.Len(t, f.proxied(), 1, "the others need it")
		f.done(f.release, applyOf(all[i].Change.FlowID, entries, nil))
	}
	require.Empty(t, f.cloud.Records())
}

// The same at each CDN, which takes a name once: what is in the way is the front's own.
func TestAppliesOfOneNameMakeItsCDNOnce(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	for _, at := range f.accounts() {
		entries := []flowsapi.Entry{f.through(at, "203.0.113.7", at.kind)}
		all := make([]flowsapi.Apply, 4)
		for i := range all {
			all[i] = applyOf(database.NewID(), nil, entries)
		}
		for _, result := range f.atOnce(f.provision, all...) {
			require.Equal(t, flowsapi.Done, result, at.kind)
		}
		require.Len(t, at.origins(), 1, at.kind)
		require.Len(t, f.stand(entries[0].Host), 1, at.kind)
		require.Equal(t, "ready", f.shown(entries[0].DomainID, "state"), at.kind)
		for i := range all {
			require.False(t, at.empty(), "the others need it")
			f.done(f.release, applyOf(all[i].Change.FlowID, entries, nil))
		}
		require.True(t, at.empty(), at.kind)
		require.Empty(t, f.stand(entries[0].Host))
	}
	require.Equal(t, 2, f.count("select count(*) from journal where action = 'cdn.created'"))
	require.Equal(t, 2, f.count("select count(*) from journal where action = 'cdn.removed'"))
}

// An undo that the CDN does not answer is an error, is repeated, and then leaves nothing behind.
func TestAnUndoWhileTheCDNIsAwayIsRepeated(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	for _, at := range f.accounts() {
		entry := f.through(at, "203.0.113.7", at.kind)
		a := applyOf(database.NewID(), nil, []flowsapi.Entry{entry})
		f.done(f.provision, a)
		at.limit(1000)
		require.Error(t, f.provision.Undo(t.Context(), a), at.kind)
		require.False(t, at.empty())
		require.NotEmpty(t, f.resources(), "it is not forgotten")
		at.limit(0)
		require.NoError(t, f.provision.Undo(t.Context(), a))
		require.True(t, at.empty(), at.kind)
		require.Empty(t, f.stand(entry.Host))
		require.Empty(t, f.resources())
	}
}

// The service that holds the zone is away while the CDN works: the apply waits, and makes nothing a second time.
func TestACDNWaitsForTheServiceOfItsZone(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	for _, at := range f.accounts() {
		entry := f.through(at, "203.0.113.7", at.kind)
		a := applyOf(database.NewID(), nil, []flowsapi.Entry{entry})
		f.cloud.Limit(1000)
		for range 3 {
			outcome, err := f.provision.Do(t.Context(), a)
			require.NoError(t, err)
			require.Equal(t, flowsapi.Again, outcome.Result)
			require.Equal(t, "waiting_for_cdn_service", outcome.Detail.Code, at.kind)
			require.Equal(t, "provisioning", f.shown(entry.DomainID, "state"))
		}
		f.cloud.Limit(0)
		require.Equal(t, flowsapi.Done, f.done(f.provision, a).Result)
		require.Len(t, at.origins(), 1)
		require.NoError(t, f.provision.Undo(t.Context(), a))
		require.True(t, at.empty())
	}
}

// The token of the zone is revoked when the CDN has made its part: the apply fails with that reason, people are told,
// and its undo leaves nothing at the CDN.
func TestATokenRevokedBehindACDN(t *testing.T) {
	t.Parallel()
	f := newFronting(t, "example.com")
	f.add("main")
	news := f.Follow()
	for _, at := range f.accounts() {
		entry := f.through(at, "203.0.113.7", at.kind)
		a := applyOf(database.NewID(), nil, []flowsapi.Entry{entry})
		f.cloud.Allow(token, nil)
		var err error
		require.Eventually(t, func() bool {
			_, err = f.provision.Do(t.Context(), a)
			return err != nil
		}, soon, every, "as soon as it needs the zone")
		require.Equal(t, "dns_token_refused", fault.Code(err), at.kind)
		told := news.Next(cdn.KindFailed)
		require.Equal(t, entry.DomainID, told.SubjectID)
		require.NotContains(t, told.Data.(cdn.Failure).Reason, token)
		require.NoError(t, f.provision.Undo(t.Context(), a), "no record was written")
		require.True(t, at.empty(), at.kind)
		f.cloud.Allow(token, dnstest.Full())
	}
}
