package clients_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"panel/migrations"
	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"
	"panel/platform/app"
	"panel/platform/database/dbtest"
	"panel/platform/module"
)

// Clients of one flow each become clients of their own: with the id, the secret, the subscription and the owner of
// before, and what the flow has installed of them.
func TestClientsOfOneFlowGoOnAsClientsOfTheirOwn(t *testing.T) {
	t.Parallel()
	all := app.Migrations(app.With([]module.Module{domains.Module(), nodes.Module()}))
	before := append(all, migrations.Set{Name: "flows", FS: until(t, flows.Module().Migrations, "clients")})
	db := dbtest.New(t, before...)
	const flow, owner = "0199a0de-0000-7000-8000-00000000000f", "0199a0de-0000-7000-8000-0000000000aa"
	const works, waits, gone = "0199a0de-0000-7000-8000-000000000001", "0199a0de-0000-7000-8000-000000000002",
		"0199a0de-0000-7000-8000-000000000003"
	_, err := db.ExecContext(t.Context(), `
		insert into flows (id, name, owner_id, root, graph, draft_updated_at, created_at, updated_at)
			values (?0, 'Europe', ?1, '', '{}', now(), now(), now());
		insert into flow_fragments (flow_id, node_id, content, hash, client_ids) values (?0, 'n', '', '', array[?2, ?4]);
		insert into flow_clients (id, flow_id, label, secret, public_hash, public_issued_at, created_at, revoked_at) values
			(?2, ?0, 'Anna', 's1', '\x01', now(), now(), null), (?3, ?0, 'Борис', 's2', null, null, now(), null),
			(?4, ?0, 'Gone', 's3', null, null, now(), now())`, flow, owner, works, waits, gone)
	require.NoError(t, err)
	after := append(all, migrations.Set{Name: "flows", FS: flows.Module().Migrations},
		migrations.Set{Name: "clients", FS: clients.Module().Migrations})
	require.NoError(t, migrations.Run(t.Context(), db.DB.DB, after))

	var rows []struct {
		ID, Label, OwnerID, Secret string
		Public, Installed, Revoked bool
	}
	require.NoError(t, db.NewRaw(`select c.id, c.label, c.owner_id, a.secret, c.public_hash is not null as public,
			a.installed, c.revoked_at is not null and a.revoked_at is not null as revoked
		from client_profiles c join client_flows a on a.client_id = c.id and a.flow_id = ? and a.moved order by c.id`, flow).
		Scan(t.Context(), &rows))
	require.Len(t, rows, 3)
	require.Equal(t, "Anna", rows[0].Label)
	require.Equal(t, works, rows[0].ID)
	require.Equal(t, owner, rows[0].OwnerID)
	require.Equal(t, "s1", rows[0].Secret)
	require.True(t, rows[0].Public)
	for i, want := range []struct{ installed, revoked bool }{{true, false}, {false, false}, {true, true}} {
		require.Equal(t, want.installed, rows[i].Installed, rows[i].Label)
		require.Equal(t, want.revoked, rows[i].Revoked, rows[i].Label)
	}
}

// A panel that is updated knows at once of all clients what a page of a flow shows: on which list they are, their names
// and their states.
func TestAccessesOfBeforeKnowWhatIsShown(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t, migrations.Set{Name: "clients", FS: until(t, clients.Module().Migrations, "beside")})
	const flow, first, again, former, gone = "0199a0de-0000-7000-8000-00000000000f", "0199a0de-0000-7000-8000-000000000001",
		"0199a0de-0000-7000-8000-000000000002", "0199a0de-0000-7000-8000-000000000003",
		"0199a0de-0000-7000-8000-000000000004"
	_, err := db.ExecContext(t.Context(), `
		insert into client_profiles (id, label, owner_id, enabled, quota_bytes, used_up, public_hash, expires_at, used_since,
				created_at, updated_at)
			values (?1, 'Anna', '', true, null, 0, '\x01', '2027-01-01', now(), now(), now()),
				(?2, 'Boris', '', false, null, 0, null, null, now(), now(), now()),
				(?3, 'Vera', '', true, 5, 5, null, null, now(), now(), now()),
				(?4, 'Gone', '', true, 5, 4, null, null, now(), now(), now());
		insert into client_flows (client_id, flow_id, secret, generation, created_at)
			values (?1, ?0, '', 1, now()), (?2, ?0, '', 2, now()), (?3, ?0, '', 3, now()), (?4, ?0, '', 1, now());
		insert into client_lists (flow_id, revision) values (?0, 9);
		insert into client_listed (flow_id, client_id, ref, since, changed, gone) values (?0, ?1, ?1::text, 2, 2, false),
			(?0, ?2, ?2::text || '/2', 5, 5, false), (?0, ?3, ?3::text || '/2', 4, 4, false), (?0, ?4, ?4::text, 1, 9, true)`,
		flow, first, again, former, gone)
	require.NoError(t, err)
	require.NoError(t, migrations.Run(t.Context(), db.DB.DB,
		[]migrations.Set{{Name: "clients", FS: clients.Module().Migrations}}))
	type shown struct {
		Label   string
		Public  bool
		Expires bool
		Ended   string
		Listed  int64
	}
	var rows []shown
	require.NoError(t, db.NewRaw(`select label, public, expires_at is not null as expires, coalesce(ended, '') as ended,
		coalesce(listed, 0) as listed from client_flows order by client_id`).Scan(t.Context(), &rows))
	require.Equal(t, []shown{
		{"Anna", true, true, "", 2},
		{"Boris", false, false, "disabled", 5},
		{"Vera", false, false, "spent", 0},
		{"Gone", false, false, "", 0},
	}, rows)
	var noted int64
	require.NoError(t, db.NewRaw("select noted from client_lists").Scan(t.Context(), &noted))
	require.EqualValues(t, 9, noted)
}

// until gives the steps of a module that come before the one of this name.
func until(t *testing.T, folder fs.FS, name string) fs.FS {
	t.Helper()
	steps, err := fs.Glob(folder, "*.up.sql")
	require.NoError(t, err)
	at := slices.IndexFunc(steps, func(path string) bool { return strings.HasSuffix(path, "_"+name+".tx.up.sql") })
	require.Positive(t, at)
	left := fstest.MapFS{}
	for _, path := range steps[:at] {
		content, err := fs.ReadFile(folder, path)
		require.NoError(t, err)
		left[path] = &fstest.MapFile{Data: content}
	}
	return left
}
