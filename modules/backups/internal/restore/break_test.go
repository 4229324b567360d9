package restore_test

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/restore"
)

const breaks = 20

// whole is how many bytes of the dump a restore reads, and leaves the database as it was.
func (h *house) whole() (bytes int64) {
	h.t.Helper()
	progress := func(p artefact.Progress) {
		if p.Step == "restoring" {
			bytes = max(bytes, p.Bytes)
		}
	}
	refuse := func(context.Context, restore.Querier) (string, error) { return "select 1/0;", nil }
	_, err := h.full(restore.Options{Progress: progress, Hooks: restore.Hooks{SQL: refuse}})
	require.ErrorContains(h.t, err, "division by zero")
	return bytes
}

// at calls once when a restore has read so many bytes of the dump.
func at(bytes int64, then func()) func(artefact.Progress) {
	var done atomic.Bool
	return func(p artefact.Progress) {
		if p.Step == "restoring" && p.Bytes >= bytes && done.CompareAndSwap(false, true) {
			then()
		}
	}
}

// The database server ends the session of a restore, as it does when it is restarted: whenever that happens, the
// restore says so, what was there is unchanged, and nothing holds a lock on it.
func TestARestoreWhoseDatabaseGoesAwayChangesNothing(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.change()
	before, all := h.picture(), h.whole()
	require.Equal(t, before, h.picture())
	for point := range int64(breaks) {
		out, err := h.full(restore.Options{Progress: at(all*point/breaks, func() { h.endSessions("panel-restore-%") })})
		require.Error(t, err, "at %d of %d", point, breaks)
		require.False(t, out.Changed)
		require.Equal(t, before, h.picture(), "at %d of %d", point, breaks)
	}
	_, err := h.full(restore.Options{})
	require.NoError(t, err, "the next one goes through")
	require.NotEqual(t, before, h.picture())
}

// endSessions ends sessions of these names as an administrator does.
func (h *house) endSessions(names string) {
	conn, err := pgx.Connect(h.t.Context(), h.dsn)
	if err != nil {
		h.t.Error(err)
		return
	}
	defer func() { _ = conn.Close(context.WithoutCancel(h.t.Context())) }()
	_, err = conn.Exec(h.t.Context(),
		`select pg_terminate_backend(pid) from pg_stat_activity
		where datname = current_database() and application_name like $1`, names)
	if err != nil {
		h.t.Error(err)
	}
}

// leaving is a destination that goes away while it is read, as an S3 or SFTP server that is killed.
type leaving struct {
	artefact.Destination
	gone atomic.Bool
}

var errGone = errors.New("the connection was reset")

func (l *leaving) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	file, err := l.Destination.Open(ctx, name)
	return &cutting{file, l}, err
}

type cutting struct {
	io.ReadCloser
	of *leaving
}

func (c *cutting) Read(into []byte) (int, error) {
	if c.of.gone.Load() {
		return 0, errGone
	}
	const piece = 4 << 10
	return c.ReadCloser.Read(into[:min(len(into), piece)])
}

// The destination goes away in the middle, after every part was proved once: the restore says that the backup could not
// be read, and changes nothing.
func TestARestoreWhoseSourceGoesAwayChangesNothing(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.execute("create table noise as select n, md5(random()::text) || md5(n::text) as text from generate_series(1, 20000) n")
	h.backUp()
	h.change()
	source := &leaving{Destination: h.from.At}
	h.from.At = source
	before, all := h.picture(), h.whole()
	broken := 0
	for point := range int64(breaks) {
		out, err := h.full(restore.Options{Progress: at(all*point/breaks, func() { source.gone.Store(true) })})
		source.gone.Store(false)
		if err == nil { // everything had been read by then
			require.True(t, out.Changed)
			h.change()
			before = h.picture()
			continue
		}
		broken++
		require.ErrorIs(t, err, errGone, "at %d of %d", point, breaks)
		require.False(t, out.Changed)
		require.Equal(t, before, h.picture(), "at %d of %d", point, breaks)
	}
	require.NotZero(t, broken)
}
