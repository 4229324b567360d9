package cdndns

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/acmetest"
	"panel/modules/flows/flowsapi"
)

// What cannot be given to its nodes is not stored either: inventory and nodes never differ, however a panel ends in
// between, and the same upload works afterwards.
func TestACertificateThatCannotBeGivenOutIsNotStored(t *testing.T) {
	t.Parallel()
	g := newGiving(t)
	root, now, day := acmetest.NewRoot(t), g.Clock.Now(), 24*time.Hour
	g.upload(root, now.Add(-day), now.Add(50*day), "*.own.example").Is(http.StatusCreated)
	agent := g.Enroll("n1")
	_, err := g.give.Do(t.Context(), applyOf(g.flow("first"), nil, []flowsapi.Entry{g.entry(agent, "n1", "own.example")}))
	require.NoError(t, err)
	before, given := held(t, agent)
	stored := g.number("select count(*) from journal where action = 'domain.cert_uploaded'")

	g.seed(`create function die() returns trigger language plpgsql as $$ begin raise exception 'the panel dies'; end $$`)
	g.seed("create trigger die before update on node_documents for each row execute function die()")
	g.upload(root, now.Add(-day), now.Add(90*day), "*.own.example").Is(http.StatusInternalServerError)
	still, same := held(t, agent)
	require.Equal(t, before, still)
	require.Equal(t, given, same)
	require.Zero(t, g.number("select count(*) from certificates where not_after > now() + interval '60 days'"))
	require.Equal(t, stored, g.number("select count(*) from journal where action = 'domain.cert_uploaded'"))

	g.seed("drop trigger die on node_documents")
	g.upload(root, now.Add(-day), now.Add(90*day), "*.own.example").Is(http.StatusCreated)
	after, renewed := held(t, agent)
	require.Equal(t, before.Revision+1, after.Revision)
	require.NotEqual(t, given[0].Chain, renewed[0].Chain)
}

// A node that is away while its certificate changes twice fetches the newest alone when it returns; until then it is
// counted, and an apply that needs it waits.
func TestANodeThatWasAwayGetsTheNewestCertificateAlone(t *testing.T) {
	t.Parallel()
	g := newGiving(t)
	root, now, day := acmetest.NewRoot(t), g.Clock.Now(), 24*time.Hour
	g.upload(root, now.Add(-day), now.Add(50*day), "*.own.example").Is(http.StatusCreated)
	agent := g.Enroll("n1")
	entries := []flowsapi.Entry{g.entry(agent, "n1", "own.example")}
	a := applyOf(g.flow("first"), nil, entries)
	g.until(a, flowsapi.Again, "waiting_for_nodes")
	first, _ := held(t, agent)
	agent.Beat(applied(first))
	g.until(a, flowsapi.Done, "")

	for _, days := range []time.Duration{70, 90} {
		g.upload(root, now.Add(-day), now.Add(days*day), "*.own.example").Is(http.StatusCreated)
	}
	other := applyOf(g.flow("second"), nil, entries)
	g.until(other, flowsapi.Again, "waiting_for_nodes")
	behind := func(n string) func() bool {
		return func() bool { return strings.Contains(g.Scrape(), "panel_certificates_behind "+n) }
	}
	require.Eventually(t, behind("1"), issuedWithin, every)
	newest, given := held(t, agent)
	require.Greater(t, newest.Revision, first.Revision)
	require.Len(t, given, 1)
	require.Equal(t, 1, g.number("select count(*) from node_documents where name = 'certificates'"), "no queue of them")
	agent.Beat(applied(newest))
	g.until(other, flowsapi.Done, "")
	require.Eventually(t, behind("0"), issuedWithin, every)
}

// An apply that is taken back while its node is away leaves no key behind: what the node finds when it returns is what
// it had before.
func TestAnApplyTakenBackWhileItsNodeIsAway(t *testing.T) {
	t.Parallel()
	g := newGiving(t)
	root, now, day := acmetest.NewRoot(t), g.Clock.Now(), 24*time.Hour
	g.upload(root, now.Add(-day), now.Add(50*day), "*.own.example").Is(http.StatusCreated)
	agent := g.Enroll("n1")
	old, next := g.entry(agent, "old", "own.example"), g.entry(agent, "next", "own.example")
	flow := g.flow("first")
	_, err := g.give.Do(t.Context(), applyOf(flow, nil, []flowsapi.Entry{old}))
	require.NoError(t, err)
	change := applyOf(flow, []flowsapi.Entry{old}, []flowsapi.Entry{next})
	g.until(change, flowsapi.Again, "waiting_for_nodes")
	_, given := held(t, agent)
	require.Len(t, given, 2, "what it shows now, and what it is to show")
	require.NoError(t, g.give.Undo(t.Context(), change))
	_, given = held(t, agent)
	require.Len(t, given, 1)
	require.Equal(t, "old.own.example", given[0].Host)
}
