package restored_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/restored"
)

type reader struct{ db *database.DB }

func (r reader) QueryRow(ctx context.Context, dest []any, query string, args ...any) error {
	return r.db.Pool.QueryRow(ctx, query, args...).Scan(dest...)
}

func noted(t *testing.T, db *database.DB, note restored.Note) {
	t.Helper()
	text, err := note.SQL()
	require.NoError(t, err)
	_, err = db.Pool.Exec(t.Context(), text)
	require.NoError(t, err)
}

// What a database of another version does not have is left out, and keeps no restore from being made.
func TestWhatOutlivesIsReadAsFarAsItIsThere(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	kept, err := restored.Keep(t.Context(), reader{db}, map[string]string{
		"one": `select '{"it''s": "kept"}'::jsonb`, "older": "select later from bun_migrations",
		"none": "select to_jsonb(1) where false", "oldest": "select to_jsonb(x) from nothing x",
	})
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.JSONEq(t, `{"it's": "kept"}`, string(kept["one"]))
	_, err = restored.Keep(t.Context(), reader{db}, map[string]string{"one": "select to_jsonb(1/0)"})
	require.ErrorContains(t, err, "division by zero")
	empty, err := restored.Keep(t.Context(), nil, map[string]string{"one": "select to_jsonb(1)"})
	require.NoError(t, err)
	require.Empty(t, empty)
}

// One panel of several settles a restore, once; the note's texts arrive as they are.
func TestARestoreIsSettledOnce(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), "drop table restorations") // a backup of an earlier version
	require.NoError(t, err)
	id := database.NewID()
	noted(t, db, restored.Note{
		ID: id, Artefact: `a:'b'\ $left$`, By: "anna", Account: "1",
		Kept: map[string]json.RawMessage{"one": []byte(`{"n":1}`)},
	})
	var mu sync.Mutex
	seen := 0
	rules := map[string]restored.Rule{
		"one": func(ctx context.Context, kept json.RawMessage, r *restored.Restoration) error {
			mu.Lock()
			defer mu.Unlock()
			seen++
			require.JSONEq(t, `{"n":1}`, string(kept))
			require.Equal(t, "anna", access.From(ctx).Username)
			require.True(t, database.InTransaction(ctx))
			r.Outcome.Raised = 7
			return nil
		},
		"two": func(_ context.Context, kept json.RawMessage, _ *restored.Restoration) error {
			require.Empty(t, kept)
			return nil
		},
	}
	last := func(_ context.Context, r *restored.Restoration) error {
		r.Outcome.ContinuedAfter = 12
		return nil
	}
	var panels sync.WaitGroup
	for range 3 {
		panels.Go(func() {
			_, err := restored.Settle(t.Context(), db, rules, last)
			require.NoError(t, err) //nolint:testifylint // a failure of any of them fails the test
		})
	}
	panels.Wait()
	require.Equal(t, 1, seen)
	var kept bool
	require.NoError(t, db.NewRaw("select jsonb_exists(note, 'kept') from restorations where id = ?", id).
		Scan(t.Context(), &kept))
	outcomes, err := restored.Outcomes(t.Context(), db)
	require.NoError(t, err)
	require.False(t, kept, "what has its place is forgotten here")
	require.Equal(t, restored.Outcome{
		Artefact: `a:'b'\ $left$`, ContinuedAfter: 12, Raised: 7, EnrolledSince: []restored.Node{},
	}, *outcomes[id])
}

// A rule that fails undoes all, and the next start begins anew.
func TestARuleThatFailsSettlesNothing(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	noted(t, db, restored.Note{ID: database.NewID(), Artefact: "a"})
	stop := errors.New("no")
	rules := map[string]restored.Rule{"one": func(ctx context.Context, _ json.RawMessage, _ *restored.Restoration) error {
		_, err := db.In(ctx).NewRaw("create table made (id int)").Exec(ctx)
		require.NoError(t, err)
		return stop
	}}
	_, err := restored.Settle(t.Context(), db, rules, nil)
	require.ErrorIs(t, err, stop)
	require.ErrorContains(t, err, "one")
	var left int
	require.NoError(t, db.NewRaw("select count(*) from restorations where outcome is null and to_regclass('made') is null").
		Scan(t.Context(), &left))
	require.Equal(t, 1, left)
	nothing, err := restored.Settle(t.Context(), dbtest.New(t), rules, nil)
	require.NoError(t, err)
	require.Nil(t, nothing)
}
