package flows_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows"
	"panel/modules/flows/internal/graph"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// statements counts what is sent to the database; the count is free of noise.
type statements struct{ n atomic.Int64 }

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.n.Add(1)
	return ctx
}

func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func counted(t *testing.T, features ...module.Module) (*database.DB, *statements) {
	t.Helper()
	settings, err := pgxpool.ParseConfig(dbtest.DSN(t, app.Migrations(app.With(features))...))
	require.NoError(t, err)
	count := new(statements)
	settings.ConnConfig.Tracer = count
	pool, err := pgxpool.NewWithConfig(t.Context(), settings)
	require.NoError(t, err)
	db := &database.DB{DB: bun.NewDB(stdlib.OpenDBFromPool(pool), pgdialect.New()), Pool: pool}
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db, count
}

// sunflower enters on the first server and leaves, by destination, on all others.
func sunflower(f *fleet, servers, port int) graph.Graph {
	g := graph.Graph{Nodes: []graph.Node{{Key: "in", Kind: graph.Entry, NodeID: f.id("server-000"), Params: graph.Params{
		Listener: &graph.Listener{Protocol: "vless", Port: port, Reality: &graph.Reality{Target: "www.example.org:443"}},
	}}}}
	for i := 1; i < servers; i++ {
		key := fmt.Sprintf("out%d", i)
		private := []string{"block", "allow"}[port%2]
		g.Nodes = append(g.Nodes, graph.Node{Key: key, Kind: graph.Exit, NodeID: f.id(fmt.Sprintf("server-%03d", i)), Params: graph.Params{Private: private}})
		edge := graph.Edge{From: "in", To: key, Priority: i}
		if i < servers-1 {
			edge.Match = &graph.Match{Domain: []string{fmt.Sprintf("site%d.example", i)}}
		}
		g.Edges = append(g.Edges, edge)
	}
	return g
}

// applied installs one change on so many servers and gives the fewest statements that it took in a few rounds.
func applied(t *testing.T, servers int) int64 {
	t.Helper()
	names := make([]string, servers)
	for i := range names {
		names[i] = fmt.Sprintf("server-%03d", i)
	}
	s := &stage{t: t, fleet: newFleet(names...)}
	features := []module.Module{s.fleet.manifest(), flows.Module()}
	db, count := counted(t, features...)
	s.panel = paneltest.Start(t, paneltest.On(db), paneltest.Modules(features...))
	s.admin = s.panel.Admin()
	s.flow = s.admin.Post(units, map[string]any{"name": "Sunflower", "graph": sunflower(s.fleet, servers, 2000)}).Is(201).Text("id")
	fewest := int64(-1)
	for round := 1; round <= 4; round++ {
		s.save(sunflower(s.fleet, servers, 2000+round))
		p := s.ready()
		before := count.n.Load()
		a := s.apply(p)
		require.Equal(t, "applied", a.State, "%+v", a.Error)
		require.Len(t, a.Steps, servers)
		if n := count.n.Load() - before; round > 1 && (fewest < 0 || n < fewest) {
			fewest = n
		}
	}
	return fewest
}

// P8: what an apply costs the database does not grow with the servers: every stage is one step for all of them.
func TestAnApplyTakesAsManyStatementsForManyServersAsForFew(t *testing.T) {
	t.Parallel()
	few, many := applied(t, 3), applied(t, 60)
	t.Logf("%d statements for 3 servers, %d for 60", few, many)
	require.LessOrEqual(t, many, few+20)
}
