package lease_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/lease"
)

// looks counts the statements that ask for work.
type looks struct{ atomic.Int64 }

func (l *looks) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if strings.Contains(data.SQL, "lease_wakes") {
		l.Add(1)
	}
	return ctx
}

func (l *looks) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// idleDrivers are those of one panel, with nothing to do; each has found that out.
func idleDrivers(t *testing.T, many int) (*database.DB, *looks) {
	t.Helper()
	l := &looks{}
	db, err := database.Open(t.Context(), dbtest.DSN(t), database.Options{MaxConns: 6, Tracer: l})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.ExecContext(t.Context(), works)
	require.NoError(t, err)
	listener := database.NewListener(db.Pool, zap.NewNop())
	for range many {
		p := heir(db)
		p.Name, p.Table = "work", open
		d := lease.New(db, listener, clockwork.NewRealClock(), zap.NewNop(), p)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- d.Run(ctx) }()
		t.Cleanup(func() {
			stop()
			require.NoError(t, <-ended)
		})
	}
	eventually(t, func() bool { return l.Load() >= int64(many) })
	return db, l
}

// Goal P16: all drivers of an idle panel together look less than once a second, however many processes there are.
func TestIdleDriversOfAPanelLookTogether(t *testing.T) {
	t.Parallel()
	_, l := idleDrivers(t, 12)
	const watched = 6 * time.Second
	require.Eventually(t, func() bool {
		before := l.Load()
		<-time.After(watched)
		return l.Load()-before <= 3
	}, 15*watched, time.Millisecond, "every five seconds, one statement for all of them")
}

// What nobody has told of is found all the same: a row that was inserted in silence, and one whose panel dies.
func TestWhatNobodyToldOfIsFoundByTheLookOfAll(t *testing.T) {
	t.Parallel()
	db, _ := idleDrivers(t, 4)
	silent, orphan, woken := insert(t, db), insert(t, db), insert(t, db)
	set(t, db, orphan, "lease_token = 'a panel that died', lease_until = now() + interval '4 seconds'")
	set(t, db, woken, "lease_until = now() + interval '1 hour'")
	_, err := db.ExecContext(t.Context(), "insert into lease_wakes (process, id) values ('works', ?)", woken)
	require.NoError(t, err)
	for _, id := range []string{silent, orphan, woken} {
		eventually(t, func() bool { return text(t, db, "note", id) == "heir" }, id)
	}
}
