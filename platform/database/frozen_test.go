package database_test

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database/dbtest"
)

// While the other end of its connection is frozen a listener cannot know what it misses. It says so before the writers,
// who wait for it, give up.
func TestAListenerThatIsNotConfirmedIsNotHealthy(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	l := listener(t, db, func(string) {})
	var server int
	require.NoError(
		t,
		db.NewRaw("select pid from pg_locks where classid = 1885433191 and database = (select oid from pg_database where datname = current_database())").
			Scan(t.Context(), &server),
	)
	require.NoError(t, syscall.Kill(server, syscall.SIGSTOP))
	thaw := sync.OnceFunc(func() { require.NoError(t, syscall.Kill(server, syscall.SIGCONT)) })
	defer thaw()
	began, last := time.Now(), time.Now()
	require.Eventually(t, func() bool {
		asked := time.Now()
		if l.Healthy() {
			last = asked
			return false
		}
		return true
	}, 60*time.Second, time.Millisecond)
	require.Less(t, last.Sub(began), 5*time.Second, "writers wait five seconds for a listener")
	thaw()
	require.Eventually(t, l.Healthy, 60*time.Second, time.Millisecond)
}
