package license

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/licensedoc"
	"panel/platform/outbound"
	"panel/platform/vault"
)

// What the other panel is told beside its database.
const (
	childServer = "PANEL_TEST_CHILD_SERVER"
	childTrusts = "PANEL_TEST_CHILD_TRUSTS"
	childData   = "PANEL_TEST_CHILD_DATA"
)

// child puts questions until it is killed.
func child(ctx context.Context, dsn, _ string) error {
	db, err := database.Open(ctx, dsn, database.Options{MaxConns: 4})
	if err != nil {
		return err
	}
	trusted, err := licensedoc.ParsePublicKeys(os.Getenv(childTrusts))
	if err != nil {
		return err
	}
	cfg, err := config.Of(map[string]string{})
	if err != nil {
		return err
	}
	network, err := outbound.NewNetwork(cfg)
	if err != nil {
		return err
	}
	safe, err := vault.New(masterKey)
	if err != nil {
		return err
	}
	clock := clockwork.NewRealClock()
	s := build(parts{
		log: zap.NewNop(), clock: newTrustedClock(clock, clock), waiting: clock, store: newStore(db),
		file: newCopyFile(os.Getenv(childData)), vault: safe, journal: &journal{}, bus: &news{}, live: hearing{},
		client:   newClient([]string{os.Getenv(childServer)}, trusted, network, "test"),
		features: declared, grace: 72 * time.Hour,
	})
	if err := s.ready(ctx); err != nil {
		return err
	}
	return s.questions.Run(ctx)
}

// victim is a panel whose license is asked about by another one, in a process of its own, that gets no answer.
func victim(t *testing.T) (p *panel, other *os.Process) {
	t.Helper()
	dsn := dbtest.DSN(t, tables)
	db, err := database.Open(t.Context(), dsn, database.Options{MaxConns: 6})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	p = panelOn(t, startAuthority(t), db, t.TempDir())
	p.activated()
	p.authority.fails(hang)
	asked := p.authority.asked.Load()
	p.set("next_check_at = now()")
	other = dbtest.Spawn(t, dsn, "victim", childServer+"="+p.authority.front.URL,
		childTrusts+"="+p.authority.run("public-key"), childData+"="+t.TempDir())
	require.Eventually(t, func() bool { return p.authority.asked.Load() > asked }, 60*time.Second, time.Millisecond)
	require.Equal(t, "true", p.stored("asking and lease_token <> ''"))
	return p, other
}

// A panel is killed in the middle of its question: another one asks within seconds. To end once is no failure.
func TestTheQuestionOfAKilledPanelIsTakenOver(t *testing.T) {
	t.Parallel()
	p, other := victim(t)
	asked := p.authority.asked.Load()
	require.NoError(t, other.Kill())
	p.authority.fails(nil)
	p.pass(time.Minute)
	require.Equal(t, asked+1, p.authority.asked.Load())
	p.is("active", "ok")
	require.Equal(t, []string{"license.activated"}, p.news.kinds())
	require.Equal(t, "true", p.stored("not asking and lease_token = '' and failing_since is null and check_ok"))
}

// A panel is frozen in the middle of its question. When it wakes up without an answer, the one of its heir stays.
func TestTheQuestionOfAFrozenPanelIsItsHeirs(t *testing.T) {
	t.Parallel()
	p, other := victim(t)
	require.NoError(t, other.Signal(syscall.SIGSTOP))
	p.authority.fails(nil)
	p.pass(time.Minute)
	kept := p.stored("to_jsonb(licenses)")
	require.Equal(t, "true", p.stored("not asking and check_ok"))
	p.authority.front.CloseClientConnections()
	require.NoError(t, other.Signal(syscall.SIGCONT))
	for range 60 {
		require.Equal(t, kept, p.stored("to_jsonb(licenses)"))
		<-time.After(50 * time.Millisecond)
	}
	p.is("active", "ok")
}
