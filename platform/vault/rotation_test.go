package vault_test

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/vault"
)

var columns = []vault.Column{
	{Table: "rotated_tokens", ID: "id", Column: "sealed"},
	{Table: "rotated_parts", ID: "owner || '/' || number", Column: "content"},
}

// tables makes one table with a simple id and one whose id is put together, each with secrets of the given vault.
func tables(t *testing.T, v *vault.Vault, rows int) *database.DB {
	t.Helper()
	db := dbtest.New(t)
	for _, statement := range []string{
		"create table rotated_tokens (id text primary key, sealed text not null)",
		"create table rotated_parts (owner text, number int, content text not null, primary key (owner, number))",
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	for n := range rows {
		id := fmt.Sprintf("%05d", n)
		_, err := db.ExecContext(t.Context(), "insert into rotated_tokens values (?, ?)", id, v.Seal(token(id),
			[]byte("token "+id)))
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), "insert into rotated_parts values (?, ?, ?)", id, n, v.Seal(part(id, n),
			[]byte("part "+id)))
		require.NoError(t, err)
	}
	return db
}

func token(id string) vault.Ref { return vault.Ref{Table: "rotated_tokens", ID: id, Column: "sealed"} }

func part(id string, n int) vault.Ref {
	return vault.Ref{Table: "rotated_parts", ID: id + "/" + strconv.Itoa(n), Column: "content"}
}

func text(t *testing.T, db *database.DB, query string, args ...any) (value string) {
	t.Helper()
	require.NoError(t, db.NewRaw(query, args...).Scan(t.Context(), &value))
	return value
}

func TestResealingMovesEverySecretToTheCurrentKey(t *testing.T) {
	t.Parallel()
	const rows = 450 // more than two batches
	db := tables(t, made(t, keyA), rows)
	rotation := vault.NewRotation(made(t, keyB, keyA), columns)
	left, err := rotation.Left(t.Context(), db)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"rotated_tokens.sealed": rows, "rotated_parts.content": rows}, left)

	done, err := rotation.Reseal(t.Context(), db)
	require.NoError(t, err)
	require.Equal(t, 2*rows, done.Resealed)
	require.Empty(t, done.Unreadable)
	left, err = rotation.Left(t.Context(), db)
	require.NoError(t, err)
	require.Empty(t, left)

	alone := made(t, keyB)
	for _, n := range []int{0, 199, 200, rows - 1} {
		id := fmt.Sprintf("%05d", n)
		plain, err := alone.Open(token(id), text(t, db, "select sealed from rotated_tokens where id = ?", id))
		require.NoError(t, err)
		require.Equal(t, "token "+id, string(plain))
		plain, err = alone.Open(part(id, n), text(t, db, "select content from rotated_parts where owner = ?", id))
		require.NoError(t, err)
		require.Equal(t, "part "+id, string(plain))
	}
}

func TestResealingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	db := tables(t, made(t, keyA), 3)
	rotation := vault.NewRotation(made(t, keyB, keyA), columns)
	_, err := rotation.Reseal(t.Context(), db)
	require.NoError(t, err)
	before := text(t, db, "select string_agg(sealed, ',' order by id) from rotated_tokens")
	done, err := rotation.Reseal(t.Context(), db)
	require.NoError(t, err)
	require.Zero(t, done.Resealed)
	require.Equal(t, before, text(t, db, "select string_agg(sealed, ',' order by id) from rotated_tokens"))
}

// One damaged secret, or one of a key that is gone, keeps no other from being sealed anew, and it is counted.
func TestSecretsThatNoKeyOpensStayAndAreCounted(t *testing.T) {
	t.Parallel()
	db := tables(t, made(t, keyA), 5)
	foreign := made(t, "key-c-0123456789abcdef").Seal(token("00001"), []byte("x"))
	_, err := db.ExecContext(t.Context(), "update rotated_tokens set sealed = ? where id = '00001'", foreign)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "update rotated_tokens set sealed = 'v1.damaged' where id = '00002'")
	require.NoError(t, err)

	rotation := vault.NewRotation(made(t, keyB, keyA), columns)
	done, err := rotation.Reseal(t.Context(), db)
	require.NoError(t, err)
	require.Equal(t, 8, done.Resealed)
	require.Equal(t, map[string]int{"rotated_tokens.sealed": 2}, done.Unreadable)
	require.Equal(t, foreign, text(t, db, "select sealed from rotated_tokens where id = '00001'"))
	left, err := rotation.Left(t.Context(), db)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"rotated_tokens.sealed": 2}, left)
}

func TestAnEmptySecretIsNoSecret(t *testing.T) {
	t.Parallel()
	db := tables(t, made(t, keyA), 0)
	_, err := db.ExecContext(t.Context(), "insert into rotated_tokens values ('1', '')")
	require.NoError(t, err)
	rotation := vault.NewRotation(made(t, keyB, keyA), columns)
	left, err := rotation.Left(t.Context(), db)
	require.NoError(t, err)
	require.Empty(t, left)
	done, err := rotation.Reseal(t.Context(), db)
	require.NoError(t, err)
	require.Zero(t, done.Resealed)
	require.Empty(t, done.Unreadable)
}

// meddling changes a secret at the worst moment: after it was read to be sealed anew, before that is written.
type meddling struct {
	bun.IDB
	once   sync.Once
	meddle func()
}

func (m *meddling) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	m.once.Do(m.meddle)
	return m.IDB.ExecContext(ctx, query, args...)
}

// A secret that is changed, or removed, while secrets are sealed anew keeps what it was changed to.
func TestASecretThatChangesDuringResealingKeepsItsNewValue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change string
		args   []any
		after  string
	}{
		"changed": {
			"update rotated_tokens set sealed = ? where id = '00000'",
			[]any{made(t, keyB, keyA).Seal(token("00000"), []byte("new"))},
			"new",
		},
		"changed by a panel with the earlier key": {
			"update rotated_tokens set sealed = ? where id = '00000'",
			[]any{made(t, keyA).Seal(token("00000"), []byte("new"))},
			"new",
		},
		"removed": {"delete from rotated_tokens where id = '00000'", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := made(t, keyB, keyA)
			db := tables(t, made(t, keyA), 2)
			rotation := vault.NewRotation(v, columns)
			done, err := rotation.Reseal(t.Context(), &meddling{IDB: db, meddle: func() {
				_, err := db.ExecContext(t.Context(), c.change, c.args...)
				require.NoError(t, err)
			}})
			require.NoError(t, err)
			require.Equal(t, 3, done.Resealed, "what somebody else has changed is not counted")
			if c.after == "" {
				require.Equal(t, "1", text(t, db, "select count(*) from rotated_tokens"))
				return
			}
			plain, err := v.Open(token("00000"), text(t, db, "select sealed from rotated_tokens where id = '00000'"))
			require.NoError(t, err)
			require.Equal(t, c.after, string(plain))
			_, err = rotation.Reseal(t.Context(), db)
			require.NoError(t, err)
			left, err := rotation.Left(t.Context(), db)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
