package nodes

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/app"
	"panel/platform/database/dbtest"
	"panel/platform/keyset"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// P4: at most three statements per page, whatever it is filtered and sorted by and however large the fleet is.
func TestAPageTakesAtMostThreeStatements(t *testing.T) {
	t.Parallel()
	db, count := dbtest.Counted(t, app.Migrations(app.With([]module.Module{Module()}))...)
	p := paneltest.Start(t, paneltest.On(db), paneltest.Modules(Module()))
	fleetOf(t, p, 300)
	admin := p.As("nodes.view")
	admin.Get("/api/v1/nodes").Is(http.StatusOK)
	for sort := range (&store{}).orders() {
		for _, filter := range []string{"", "&state=online", "&state=offline&tag=t7", "&q=node"} {
			n := count.OfRequests(func() {
				admin.Get("/api/v1/nodes?limit=50&sort=-" + sort +
					filter).Is(http.StatusOK)
			})
			require.LessOrEqual(t, n, int64(3), "%s %s", sort, filter)
		}
	}
}

// The plan of a page shows no step over the whole fleet: what is sorted by load or state, or filtered by state, is
// walked in an index.
func TestAPageReadsThePageAndNotTheFleet(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	fleetOf(t, p, 3000)
	s := &store{db: p.DB, heartbeat: 15e9}
	for sort, filter := range map[string]listInput{
		"state": {}, "-state": {}, "-cpu_pct": {}, "-last_seen_at": {},
		"name": {State: "online"}, "-name": {State: "offline"},
	} {
		filter.Sort, filter.Limit = sort, 50
		k, err := keyset.New(filter.PageQuery, "n.id", "name", s.orders())
		require.NoError(t, err)
		var plan []string
		query := s.page(&filter, k, p.Clock.Now(), nil)
		require.NoError(t, p.DB.NewRaw("explain "+query.String()).Scan(t.Context(), &plan))
		require.NotContains(t, fmt.Sprint(plan), "Seq Scan", "%s: %v", sort, plan)
		// Rows of an index that are equal in its columns may be put in order among themselves, an incremental sort.
		require.NotRegexp(t, `(^|->) *Sort `, strings.Join(plan, "\n"), "%s: %v", sort, plan)
	}
}

// P8: storing, wanting and ordering take as many statements for many nodes as for one.
func TestWritesForManyNodesTakeTheStatementsOfOne(t *testing.T) {
	t.Parallel()
	with := new(ports)
	features := []module.Module{Module(), asking(with)}
	db, count := dbtest.Counted(t, app.Migrations(app.With(features))...)
	p := paneltest.Start(t, paneltest.On(db), paneltest.Modules(features...))
	fleetOf(t, p, 200)
	var ids []string
	require.NoError(t, db.NewRaw("select id::text from nodes").Scan(t.Context(), &ids))
	round := 0
	spent := func(ids []string) int64 {
		return count.OfRequests(func() {
			round++
			apply(t, with, ids, round)
		})
	}
	one, many := spent(ids[:1]), spent(ids)
	require.LessOrEqual(t, many, one, "one node takes %d statements, %d nodes %d", one, len(ids), many)
}

// apply does what an apply does to the nodes, without agents, and as part of a request.
func apply(t *testing.T, with *ports, ids []string, round int) {
	t.Helper()
	ctx := access.With(t.Context(), access.Caller{Kind: access.Admin, IP: "192.0.2.1"})
	candidates, orders := make([]nodesapi.Candidate, len(ids)), make([]nodesapi.Order, len(ids))
	for i, id := range ids {
		candidates[i] = nodesapi.Candidate{NodeID: id, Core: []byte(fmt.Sprintf(`{"round":%d}`, round))}
		orders[i] = nodesapi.Order{NodeID: id, Kind: "restart_core"}
	}
	stored, err := with.configs.PutCandidates(ctx, candidates...)
	require.NoError(t, err)
	revisions := map[string]int64{}
	for _, c := range stored {
		revisions[c.NodeID] = c.Revision
	}
	unknown, err := with.configs.SetDesired(ctx, revisions)
	require.NoError(t, err)
	require.Empty(t, unknown)
	sent, err := with.commands.Send(ctx, orders...)
	require.NoError(t, err)
	_, err = with.commands.Await(ctx, sent...)
	require.NoError(t, err)
}

// A token that nobody knows is read once; an agent that was revoked, or a guesser who repeats himself, costs no more;
// one who comes with ever new tokens has to wait.
func TestAnUnknownAgentTokenCostsOneStatement(t *testing.T) {
	t.Parallel()
	db, count := dbtest.Counted(t, app.Migrations(app.With([]module.Module{Module()}))...)
	p := paneltest.Start(t, paneltest.On(db), paneltest.Modules(Module()))
	stranger := p.Bearer(agentPrefix + "unknown")
	ask := func() {
		stranger.Get("/agent/v1/desired/blocks").Refused(http.StatusUnauthorized, "agent_token_invalid")
	}
	require.Eventually(t, func() bool { return count.OfRequests(ask) == 0 }, 60*time.Second, 10*time.Millisecond,
		"a panel that only now hears of changes forgets once what it knew before")
	for n := range 70 {
		p.Bearer(fmt.Sprint(agentPrefix, n)).Get("/agent/v1/desired/blocks")
	}
	p.Bearer(agentPrefix+"next").Get("/agent/v1/desired/blocks").Refused(http.StatusTooManyRequests, "throttled")
}
