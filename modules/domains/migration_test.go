package domains

import (
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"panel/migrations"
	"panel/modules/nodes"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/paneltest"
)

func TestConformance(t *testing.T) { paneltest.Check(t, Module(), nodes.Module()) }

// former gives the migrations of nodes as they were while that module still made the tables of bindings.
func former(t *testing.T) migrations.Set {
	t.Helper()
	made, err := os.ReadFile("testdata/created_by_nodes.sql")
	require.NoError(t, err)
	files := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(nodes.Module().Migrations, ".", func(path string, entry fs.DirEntry,
		err error,
	) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(nodes.Module().Migrations, path)
		if entry.Name() == "20261121020000_create.tx.up.sql" {
			content = append(content, made...)
		}
		files[path] = &fstest.MapFile{Data: content}
		return err
	}))
	return migrations.Set{Name: "nodes", FS: files}
}

// described lists columns, constraints and indexes of the tables of bindings.
func described(t *testing.T, db *database.DB) (parts []string) {
	t.Helper()
	require.NoError(t, db.NewRaw(`
		select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default, ordinal_position)
			from information_schema.columns where table_schema = 'public' and table_name like 'node_domain%'
		union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
			where conrelid::regclass::text like 'node_domain%' or confrelid::regclass::text like 'node_domain%'
		union all select indexdef from pg_indexes where tablename like 'node_domain%' order by 1`).Scan(t.Context(), &parts))
	return parts
}

// A database in which the module of nodes made the tables keeps its bindings and ends with the schema of a new one.
func TestADatabaseWhoseBindingsBelongedToNodesIsTakenOver(t *testing.T) {
	t.Parallel()
	own := []migrations.Set{{Name: "nodes", FS: nodes.Module().Migrations}, {Name: "domains", FS: Module().Migrations}}
	older := dbtest.New(t, former(t))
	const id = "0199a0de-0000-7000-8000-000000000001"
	_, err := older.ExecContext(t.Context(), `
		insert into nodes (id, name, name_key, created_at, updated_at) values (?0, 'n', 'n', now(), now());
		insert into node_domains (id, node_id, zone, label, hostname, mode, ttl, owner_id, created_at, updated_at)
			values (?0, ?0, 'example.org', 'a', 'a.example.org', 'direct', 300, ?0, now(), now());
		insert into node_domain_uses (domain_id, flow_id) values (?0, ?0)`, id)
	require.NoError(t, err)
	require.NoError(t, migrations.Run(t.Context(), older.DB.DB, own))

	var used int
	require.NoError(t,
		older.NewRaw("select count(*) from node_domains d join node_domain_uses u on u.domain_id = d.id").
			Scan(t.Context(), &used))
	require.Equal(t, 1, used)
	fresh := dbtest.New(t, own...)
	require.NotEmpty(t, described(t, fresh))
	require.Equal(t, described(t, fresh), described(t, older))
	require.NoError(t, migrations.Run(t.Context(), older.DB.DB, own), "a second start changes nothing")
}
