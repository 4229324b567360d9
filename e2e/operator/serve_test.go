package operator

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database"
	"panel/platform/database/dbtest"
)

// life is a real panelctl serve with the journal that it writes.
type life struct {
	t     *testing.T
	panel *rig.Panel
	db    *database.DB
}

func newLife(t *testing.T) *life {
	t.Helper()
	dsn := dbtest.Empty(t)
	panel := rigtest.Panel(t, rig.PanelSettings{DSN: dsn, Env: []string{masterKey}})
	db, err := database.Open(t.Context(), dsn, database.Options{MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, panel.Up(t.Context()))
	return &life{t: t, panel: panel, db: db}
}

// recorded lists what the journal holds about the panel itself: action, result and changes.
func (l *life) recorded() (entries []string) {
	l.t.Helper()
	var rows []struct{ Action, Result, Changes string }
	require.NoError(l.t, l.db.NewRaw(`select action, result, changes::text as changes from journal where action in
		('system.started', 'system.stopped', 'system.migrated') order by id`).Scan(l.t.Context(), &rows))
	for _, row := range rows {
		entry := row.Action + " " + row.Result
		if strings.Contains(row.Changes, "ended_without_stop") {
			entry += " after an end without a stop"
		}
		entries = append(entries, entry)
	}
	return entries
}

// inFlight sends a sign-in that waits in the database for a lock, and answers when it waits.
func (l *life) inFlight() (status <-chan int, release func()) {
	l.t.Helper()
	tx, err := l.db.Pool.Begin(l.t.Context())
	require.NoError(l.t, err)
	_, err = tx.Exec(l.t.Context(), "lock table accounts in access exclusive mode")
	require.NoError(l.t, err)
	answered := make(chan int, 1)
	go func() {
		body, _ := json.Marshal(map[string]string{"username": "anna", "password": "correct horse"})
		response, err := http.Post(l.panel.URL+"/api/v1/auth/login", "application/json", bytes.NewReader(body))
		if err != nil {
			answered <- 0
			return
		}
		defer response.Body.Close()
		answered <- response.StatusCode
	}()
	require.Eventually(l.t, func() bool {
		var waiting bool
		err := l.db.NewRaw(`select exists (select from pg_locks where not granted and relation = 'accounts'::regclass
			and database = (select oid from pg_database where datname = current_database()))`).Scan(l.t.Context(), &waiting)
		return err == nil && waiting
	}, 60*time.Second, 20*time.Millisecond)
	return answered, func() { require.NoError(l.t, tx.Rollback(l.t.Context())) }
}

// Specification, Command-line interface: serve "stops cleanly on SIGINT/SIGTERM". A real signal to a real process: no
// new connection is taken, the request in flight is answered, the process ends with 0, and the journal knows both ends.
func TestServeStopsCleanlyAfterASignal(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			l := newLife(t)
			status, release := l.inFlight()
			require.NoError(t, syscall.Kill(l.panel.PID(), signal))
			require.Eventually(
				t,
				func() bool { return strings.Contains(l.panel.Words(), "the panel stops") },
				30*time.Second,
				20*time.Millisecond,
			)
			require.Eventually(t, func() bool {
				connection, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(l.panel.Port)))
				if err == nil {
					connection.Close()
				}
				return err != nil
			}, 60*time.Second, 20*time.Millisecond, "a panel that stops takes no new connection")
			require.True(t, l.panel.Running(), "it waits for the request in flight")
			release()
			require.Equal(
				t,
				http.StatusUnauthorized,
				<-status,
				"the request in flight gets its answer: there is no account anna",
			)
			code, err := l.panel.Exit(t.Context())
			require.NoError(t, err)
			require.Zero(t, code)
			require.Equal(t, []string{"system.migrated ok", "system.started ok", "system.stopped ok"}, l.recorded())
		})
	}
}

// A process that was killed has stopped nothing; the next start says so.
func TestTheJournalTellsOfAnEndWithoutAStop(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	l.panel.Kill()
	require.NoError(t, l.panel.Up(t.Context()))
	require.NoError(t, l.panel.Stop())
	require.NoError(t, l.panel.Up(t.Context()))
	require.Equal(t, []string{
		"system.migrated ok", "system.started ok", "system.started failed after an end without a stop",
		"system.stopped ok",
		"system.started ok",
	}, l.recorded())
}

// What Doctor finds beside the panel reaches the journal, once for each diagnosis.
func TestAFailedDiagnosisIsInTheJournal(t *testing.T) {
	t.Parallel()
	l := newLife(t)
	count := func() (n int) {
		require.NoError(t, l.db.NewRaw(`select count(*) from journal where action = 'system.doctor_failed'
			and result = 'failed' and changes::text like '%"database.connect"%'`).Scan(t.Context(), &n))
		return n
	}
	for wanted := range 2 {
		did := panelctl(
			t,
			call{args: []string{"doctor"}, env: append(l.panel.Spec.Env,
				"PANEL_DB_URL=postgres://nobody@127.0.0.1:1/none")},
		)
		require.Equal(t, 1, did.exit, did.out+did.err)
		require.Eventually(t, func() bool { return count() == wanted+1 }, 60*time.Second, 100*time.Millisecond)
	}
}
