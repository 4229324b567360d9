package flows_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"panel/migrations"
	"panel/modules/domains"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/module"
)

// before gives the tables as they were before a step of this module's migrations.
func before(t *testing.T, step string) (db *database.DB, all []migrations.Set) {
	t.Helper()
	older, folder := fstest.MapFS{}, os.DirFS("migrations")
	names, err := fs.Glob(folder, "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		content, err := fs.ReadFile(folder, name)
		require.NoError(t, err)
		if name < step {
			older[name] = &fstest.MapFile{Data: content}
		}
	}
	all = app.Migrations(app.With([]module.Module{domains.Module(), nodes.Module()}))
	return dbtest.New(
			t,
			append(all, migrations.Set{Name: "flows", FS: older})...), append(
			all,
			migrations.Set{Name: "flows", FS: folder},
		)
}

// Installed flows keep the links that they had: the host name of their owner's binding, else the node's address.
// Drawings that say by an address that their REALITY target is inside keep compiling.
func TestInstalledFlowsKeepTheirLinksAndTargets(t *testing.T) {
	t.Parallel()
	db, all := before(t, "20261122090000")
	const owner, node = "0199a0de-0000-7000-8000-0000000000aa", "0199a0de-0000-7000-8000-000000000001"
	const own, foreign = "0199a0de-0000-7000-8000-000000000011", "0199a0de-0000-7000-8000-000000000012"
	drawing := graph.Graph{Edges: []graph.Edge{}}
	add := func(key, domain, target string) {
		l := &graph.Listener{Protocol: "vless", Port: 443, Reality: &graph.Reality{Target: target}}
		drawing.Nodes = append(drawing.Nodes, graph.Node{
			Key: key, Kind: graph.Entry, NodeID: node, NodeDomainID: domain, Params: graph.Params{Listener: l},
		})
	}
	add("bound", own, "127.0.0.1:8443")
	add("foreign", foreign, "[::1]:8443")
	add("plain", "", "www.example.org:443")
	add("name", "", "my.localhost:443")
	exit := graph.Node{Key: "out", Kind: graph.Exit, NodeID: node, Params: graph.Params{Hop: &graph.Listener{
		Protocol: "vless", Port: 9443, Reality: &graph.Reality{Target: "10.0.0.1:443"},
	}}}
	drawing.Nodes = append(drawing.Nodes, exit, graph.Node{Key: "stop", Kind: graph.Block})
	_, err := db.ExecContext(t.Context(), `
		insert into nodes (id, name, name_key, address, country_code, created_at, updated_at)
			values (?0, 'fra-01', 'fra-01', '192.0.2.1', 'XX', now(), now());
		insert into node_domains (id, node_id, zone, label, hostname, mode, ttl, owner_id, created_at, updated_at) values
			(?1, ?0, 'example.org', 'a', 'a.example.org', 'direct', 300, ?3, now(), now()),
			(?2, ?0, 'example.org', 'b', 'b.example.org', 'direct', 300, ?0, now(), now());
		insert into flows (id, name, owner_id, root, graph, draft_updated_at, installed_version_id, created_at, updated_at)
			values (?1, 'Europe', ?3, '', ?4::jsonb, now(), ?2, now(), now()), (?2, 'Empty', ?3, '', '{"nodes":[],"edges":[]}', now(), null, now(), now());
		insert into flow_versions (id, flow_id, number, revision, reason, graph, created_at, created_by)
			values (?2, ?1, 1, 1, 'apply', ?4::jsonb, now(), '')`, node, own, foreign, owner, string(graph.Encode(drawing)))
	require.NoError(t, err)
	require.NoError(t, migrations.Run(t.Context(), db.DB.DB, all))

	var raw, drawn, version string
	require.NoError(
		t,
		db.NewRaw("select installed_hosts::text, graph::text from flows where id = ?", own).
			Scan(t.Context(), &raw, &drawn),
	)
	require.NoError(t, db.NewRaw("select graph::text from flow_versions").Scan(t.Context(), &version))
	var hosts []plan.Host
	require.NoError(t, json.Unmarshal([]byte(raw), &hosts))
	require.Equal(t, []plan.Host{
		{Block: "bound", NodeID: node, DomainID: own, Host: "a.example.org"},
		{Block: "foreign", NodeID: node, DomainID: foreign, Host: "192.0.2.1"},
		{Block: "name", NodeID: node, Host: "192.0.2.1"},
		{Block: "plain", NodeID: node, Host: "192.0.2.1"},
	}, hosts)
	var g graph.Graph
	require.NoError(t, json.Unmarshal([]byte(drawn), &g))
	require.JSONEq(t, drawn, version)
	for i, allowed := range []bool{true, true, false, true} {
		require.Equal(t, allowed, g.Nodes[i].Params.Listener.Reality.AllowPrivateTarget, g.Nodes[i].Key)
	}
	require.True(t, g.Nodes[4].Params.Hop.Reality.AllowPrivateTarget)
	require.NoError(t, db.NewRaw("select installed_hosts::text from flows where id = ?", foreign).Scan(t.Context(),
		&raw))
	require.Equal(t, "[]", raw)
}
