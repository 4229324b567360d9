package hosting

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
)

// goesOn lets time pass: leases of the dead end, on everything that takes part in a replacement.
func (s *stage) goesOn(db *database.DB) {
	s.t.Helper()
	s.continues(db)
	for table, open := range map[string]string{
		"hosting_replacements": "finished_at is null", "hosting_orders": "finished_at is null",
		"flow_applies": "finished_at is null", "flow_plans": "checking",
	} {
		_, err := db.ExecContext(s.t.Context(), "update "+table+" set lease_until = now() where "+open)
		require.NoError(s.t, err)
		require.NoError(s.t, database.Notify(s.t.Context(), db, "lease", table))
	}
}

// bearsOut waits until the newest replacement of a machine is in a state, whatever died before. Between two ends of the
// leases the living have the time for a step, and each time twice as much: the machine may be slow.
func (s *stage) bearsOut(db *database.DB, by, state string) {
	s.t.Helper()
	const looks = 20
	looked, next := 0, 0
	require.Eventually(s.t, func() bool {
		if looked == next {
			s.goesOn(db)
			next = 2*next + looks
		}
		looked++
		return count(s.t, db, "hosting_replacements where by_name = ? and state = ?", by, state) == 1
	}, 4*within, 100*time.Millisecond, "%s is not %s", by, state)
}

// A panel that is killed before any change of a replacement that begins, or is undone, leaves one machine of it or
// none, and the old one serves throughout.
func TestAReplacementThatIsKilledAtItsBeginIsUndone(t *testing.T) {
	t.Parallel()
	b, m, onlooker := newDeadly(t)
	s := staged(b)
	flow, admin := s.flow("First", 443), s.Admin()
	s.install(flow)
	kills := 0
	for n, died := int64(0), true; died; n += 2 * stride() {
		by := fmt.Sprintf("ams-%d", n+2)
		body := s.wanted(oldDelete)
		body["name"] = by
		m.dies(n)
		answer := admin.Do(http.MethodPost, s.path("/servers/"+s.old.ID+"/replace"), body, "Idempotency-Key", by)
		require.Eventually(t, func() bool {
			return m.dead.Load() || len(s.bearing(onlooker, by, orderAgent)) == 1
		}, within, time.Millisecond, "%s", answer.Body)
		if died = m.lives(); died {
			kills++
		}
		if count(t, onlooker, "hosting_replacements where by_name = ?", by) == 0 {
			require.Empty(t, s.bearing(onlooker, by, ""), "an order of no replacement")
			require.Zero(t, count(t, onlooker, "nodes where name = ?", by), "a node of no order")
			continue
		}
		require.Eventually(t, func() bool {
			s.goesOn(onlooker)
			return len(s.bearing(onlooker, by, orderAgent)) == 1
		}, 2*within, 50*time.Millisecond)
		require.Len(t, s.cloud.Machines(), 2)
		var id string
		require.NoError(t, onlooker.NewRaw("select id from hosting_replacements where by_name = ?", by).
			Scan(t.Context(), &id))
		m.dies(n)
		admin.Post(s.path("/replacements/"+id+"/cancel"), nil)
		require.Eventually(t, func() bool {
			return m.dead.Load() || count(t, onlooker, "hosting_replacements where id = ? and state = 'cancelled'", id) == 1
		}, within, time.Millisecond)
		died = m.lives() || died
		admin.Post(s.path("/replacements/"+id+"/cancel"), nil)
		s.bearsOut(onlooker, by, replaceCancelled)
		require.Len(t, s.cloud.Machines(), 1)
		require.Equal(t, []string{flow}, s.installedOn(s.oldNode))
		require.Equal(t, 1, count(t, onlooker, "journal where action = ? and changes::text like ?", replaceStarted,
			"%"+by+`"%`))
		require.Less(t, n, int64(400), "a beginning has an end")
	}
	require.Greater(t, kills, 1)
}

// A panel that is killed before any change of a replacement moves each flow once, changes each pool once, and deletes
// the old machine once: the next machine is replaced by one more, and so on.
func TestAReplacementThatIsKilledMovesEachFlowOnce(t *testing.T) {
	t.Parallel()
	b, m, onlooker := newDeadly(t)
	s := staged(b)
	flow := s.flow("First", 443)
	pool, through := s.pooled("Europe", 8443, s.oldNode)
	s.install(flow)
	s.install(through)
	const most = 400
	for n, died := int64(0), true; died && n < most; n += 12 * stride() {
		by := fmt.Sprintf("ams-%d", n+2)
		body := s.wanted(oldDelete)
		body["name"] = by
		s.Admin().Do(http.MethodPost, s.path("/servers/"+s.old.ID+"/replace"), body, "Idempotency-Key", by).
			Is(http.StatusAccepted)
		agent := s.made.run(s.bench)
		m.dies(n)
		s.serves(agent, fmt.Sprintf("198.51.100.%d", n%250+1))
		require.Eventually(t, func() bool {
			return m.dead.Load() || count(t, onlooker, "hosting_replacements where by_name = ? and state = 'done'", by) == 1
		}, 2*within, 5*time.Millisecond)
		died = m.lives()
		s.bearsOut(onlooker, by, replaceDone)
		require.Empty(t, s.installedOn(s.oldNode))
		require.ElementsMatch(t, []string{flow, through}, s.installedOn(agent.NodeID))
		require.Equal(t, []string{agent.NodeID}, s.membersOf(pool))
		require.Equal(t, 1, count(t, onlooker, `journal where object_id = ?
			and changes::jsonb -> 'member' ->> 'to' = ?`, pool, by))
		require.Len(t, s.cloud.Machines(), 1, "the old machine is deleted")
		require.Equal(t, 1, count(t, onlooker, `flow_applies where flow_id = ? and stage = 'applied' and id::text = (
			select flows -> 0 ->> 'apply_id' from hosting_replacements where by_name = ?)`, flow, by))
		require.Equal(t, 1, count(t, onlooker, "journal where action = ? and object_id = ?", replaceSucceeded, s.old.ID))
		require.Equal(t, 1, count(t, onlooker, "journal where action = ? and object_id = ?", serverDeleted, s.old.ID))
		s.old, s.oldNode = s.servers(s.account.ID)[0], agent.NodeID
	}
}
