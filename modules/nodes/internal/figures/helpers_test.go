package figures

import (
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/modules/nodes/internal/nodetest"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/database/dbtest"
)

// stage is a fleet in a database of its own.
type stage struct {
	*Fleet
	t     testing.TB
	count *dbtest.Statements
	clock *clockwork.FakeClock
}

func newStage(t testing.TB) *stage {
	t.Helper()
	db, count := dbtest.Counted(t, nodetest.Schema())
	cfg, err := config.Of(map[string]string{})
	require.NoError(t, err)
	clock := clockwork.NewFakeClockAt(time.Now().UTC().Truncate(time.Second))
	return &stage{Fleet: New(db, cfg, NewRelations(), clock, zaptest.NewLogger(t)), t: t, count: count, clock: clock}
}

// node is what a test says of a node; everything else is as on one that is fine.
type node struct {
	name, region, country, city string
	seen, since                 time.Duration // ago
	core, access                string
	tags                        []string
	readings                    []any // observed_at, sessions, rx, tx, cpu, mem
}

func (s *stage) add(n node) string {
	s.t.Helper()
	id, now := database.NewID(), s.now()
	or := func(text, usual string) string {
		if text == "" {
			return usual
		}
		return text
	}
	s.exec(`insert into nodes (id, name, name_key, region, country_code, city, tags, agent_access, listed_state, state_since,
		created_at, updated_at) values (?0, ?1, ?1, ?2, ?3, ?4, ?5, ?6, 'online', ?7, now(), now())`, id, n.name, n.region,
		or(n.country, "XX"), n.city, "{"+join(n.tags)+"}", or(n.access, "granted"), now.Add(-n.since))
	if n.access == "none" {
		return id
	}
	s.exec(`insert into node_reports (node_id, seen_at, core_state, report) values (?, ?, ?, '{"agent_version":"1.2.0"}')`,
		id, now.Add(-n.seen), or(n.core, "running"))
	if n.readings != nil {
		s.exec(`update node_readings set observed_at = ?, sessions = ?, net_rx_bps = ?, net_tx_bps = ?, cpu_pct = ?, mem_pct = ?
			where node_id = ?`, append(n.readings, id)...)
	}
	return id
}

func join(words []string) (all string) {
	for at, word := range words {
		if at > 0 {
			all += ","
		}
		all += word
	}
	return all
}

func (s *stage) exec(statement string, args ...any) {
	s.t.Helper()
	_, err := s.db.NewRaw(statement, args...).Exec(s.t.Context())
	require.NoError(s.t, err)
}

// many adds so many nodes that were measured at this moment.
func (s *stage) many(size int) {
	s.t.Helper()
	s.exec(`insert into nodes (id, name, name_key, region, agent_access, listed_state, created_at, updated_at)
		select gen_random_uuid(), 'n' || i, 'n' || lpad(i::text, 6, '0'), 'r' || i % 12, 'granted', 'online', now(), now()
		from generate_series(1, ?) i`, size)
	s.exec(`insert into node_reports (node_id, seen_at, core_state) select id, ?, 'running' from nodes`, s.now())
	s.measure()
}

// measure gives every node a new reading.
func (s *stage) measure() {
	s.t.Helper()
	s.exec(`update node_readings set observed_at = ?, sessions = 123456, net_rx_bps = 1234567890.5, net_tx_bps = 2345678901.5,
		cpu_pct = 45.67, mem_pct = 78.91`, s.now())
}
