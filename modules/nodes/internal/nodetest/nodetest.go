// Package nodetest gives tests of the insides of this module its tables with nodes in them.
package nodetest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/migrations"
	"panel/platform/database"
	"panel/platform/database/dbtest"
)

// Schema is that of the module, for a package two folders below it.
func Schema() migrations.Set {
	return migrations.Set{Name: "nodes", FS: os.DirFS("../../migrations")}
}

// Tables makes a database with the module's tables.
func Tables(t testing.TB) *database.DB {
	t.Helper()
	return dbtest.New(t, Schema())
}

// Fleet makes one with so many nodes.
func Fleet(t testing.TB, size int) (db *database.DB, ids []string) {
	t.Helper()
	db = Tables(t)
	return db, Nodes(t, db, size)
}

// Nodes adds so many nodes whose agents have enrolled, and gives their ids.
func Nodes(t testing.TB, db *database.DB, size int) (ids []string) {
	t.Helper()
	for range size {
		id := database.NewID()
		_, err := db.ExecContext(t.Context(), `insert into nodes (id, name, name_key, agent_access, created_at, updated_at)
			values (?0, ?0, ?0, 'granted', now(), now())`, id)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// Node adds one.
func Node(t testing.TB, db *database.DB) string {
	t.Helper()
	return Nodes(t, db, 1)[0]
}
