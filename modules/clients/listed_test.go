package clients

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

// active stores an active client with one access.
func (s *store) active(t *testing.T) *accessRow {
	t.Helper()
	row, _ := s.put(t, false)
	_, err := s.db.NewRaw("update client_profiles set enabled = true where id = ?", row.ClientID).Exec(t.Context())
	require.NoError(t, err)
	return row
}

// listed gives what an access knows of the list of its flow.
func (s *store) listed(t *testing.T, of *accessRow) *int64 {
	t.Helper()
	row, err := s.access(t.Context(), of.ClientID, of.FlowID)
	require.NoError(t, err)
	return row.Listed
}

// revised makes the next revision of the whole list of a flow.
func (s *store) revised(t *testing.T, flowID string, revision int64) {
	t.Helper()
	_, err := s.db.NewRaw(`insert into client_lists (flow_id, revision) values (?0, ?1)
		on conflict (flow_id) do update set revision = ?1`, flowID, revision).Exec(t.Context())
	require.NoError(t, err)
	_, err = s.relisted(t.Context(), flowID, revision, true, nil, time.Now())
	require.NoError(t, err)
}

func (s *store) noted(t *testing.T, flowID string, want bool) {
	t.Helper()
	left, err := s.note(t.Context(), flowID)
	require.NoError(t, err)
	require.Equal(t, want, left)
}

// An access knows since which revision it is on the list of its flow: with the secret that it has now, and no more when
// it has gone.
func TestAnAccessKnowsTheListThatItIsOn(t *testing.T) {
	t.Parallel()
	s := stored(t)
	row := s.active(t)
	require.Nil(t, s.listed(t, row))
	s.revised(t, row.FlowID, 3)
	s.noted(t, row.FlowID, false)
	require.EqualValues(t, 3, *s.listed(t, row))
	s.revised(t, row.FlowID, 4)
	s.noted(t, row.FlowID, false)
	require.EqualValues(t, 3, *s.listed(t, row), "nothing of it has changed")

	_, err := s.end(t.Context(), row.ClientID, row.FlowID, time.Now())
	require.NoError(t, err)
	s.revised(t, row.FlowID, 5)
	s.noted(t, row.FlowID, false)
	require.Nil(t, s.listed(t, row), "it was revoked")

	again := &accessRow{ClientID: row.ClientID, FlowID: row.FlowID, Generation: 2, CreatedAt: time.Now()}
	require.NoError(t, again.seal(s.vault, newSecret()))
	require.NoError(t, s.updateAccess(t.Context(), again))
	s.noted(t, row.FlowID, false)
	require.Nil(t, s.listed(t, row), "its new secret is on no list yet")
	s.revised(t, row.FlowID, 6)
	s.noted(t, row.FlowID, false)
	require.EqualValues(t, 6, *s.listed(t, row))
	again.Generation, again.Listed = 3, nil
	require.NoError(t, s.updateAccess(t.Context(), again))
	s.noted(t, row.FlowID, false)
	require.Nil(t, s.listed(t, row), "the list has its secret of before")
}

// Whoever changes a client may wait for the list of its flow: what it holds meanwhile is noted later, and not waited
// for.
func TestNotingAListWaitsForNobody(t *testing.T) {
	t.Parallel()
	s := stored(t)
	row := s.active(t)
	s.revised(t, row.FlowID, 1)
	require.NoError(t, s.db.InTx(t.Context(), func(ctx context.Context) error {
		_, err := s.db.In(ctx).NewRaw("update client_flows set up = up + 1 where client_id = ?", row.ClientID).Exec(ctx)
		require.NoError(t, err)
		s.noted(t, row.FlowID, true)
		return nil
	}))
	require.Nil(t, s.listed(t, row))
	s.noted(t, row.FlowID, false)
	require.EqualValues(t, 1, *s.listed(t, row))
}

// What a page of a flow's clients shows of a client follows it through every change, by whatever statement.
func TestWhatStandsBesideAFlowFollowsTheClient(t *testing.T) {
	t.Parallel()
	s := stored(t)
	row := s.active(t)
	for _, one := range []struct{ change, label, state string }{
		{"label = 'Анна'", "Анна", "active"},
		{"expires_at = now() - interval '1 second'", "Анна", "expired"},
		{"quota_bytes = 10, used_up = 4, used_down = 6", "Анна", "expired"},
		{"expires_at = now() + interval '1 hour'", "Анна", "spent"},
		{"enabled = false", "Анна", "disabled"},
		{"expires_at = now() - interval '1 hour'", "Анна", "disabled"},
		{"enabled = true, expires_at = null, used_down = 5", "Анна", "active"},
		{"revoked_at = now()", "Анна", "revoked"},
	} {
		_, err := s.db.NewRaw("update client_profiles c set "+one.change+" where id = ?", row.ClientID).Exec(t.Context())
		require.NoError(t, err)
		var shown, told struct{ Label, State string }
		require.NoError(t, s.db.NewRaw("select a.label, "+shownState+" as state from client_flows a", time.Now()).
			Scan(t.Context(), &shown))
		require.NoError(t, s.db.NewRaw("select c.label, "+stateAt+" as state from client_profiles c", time.Now()).
			Scan(t.Context(), &told))
		require.Equal(t, told, shown, one.change)
		require.Equal(t, struct{ Label, State string }{one.label, one.state}, shown, one.change)
	}
}

// Traffic is booked while people change and revoke the clients that carry it, and neither waits for the other in a
// circle.
func TestBookingAndRevokingDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	s := stored(t)
	row := s.active(t)
	held, booked := make(chan struct{}), make(chan error, 1)
	carried := []nodesapi.ClientTraffic{{
		Email: agentapi.ClientEmail(row.FlowID, row.ClientID), Up: 1, LastAt: time.Now(),
	}}
	go func() {
		<-held
		booked <- s.db.InTx(context.WithoutCancel(t.Context()), func(ctx context.Context) error {
			return s.book(ctx, carried)
		})
	}()
	require.NoError(t, s.db.InTx(t.Context(), func(ctx context.Context) error {
		_, err := s.lock(ctx, row.ClientID)
		require.NoError(t, err)
		close(held)
		require.Eventually(t, func() bool { // the other one waits for a lock
			var waits int
			require.NoError(t, s.db.NewRaw("select count(*) from pg_locks where not granted").Scan(t.Context(), &waits))
			return waits > 0
		}, time.Minute, 10*time.Millisecond)
		_, err = s.end(ctx, row.ClientID, row.FlowID, time.Now())
		return err
	}))
	require.NoError(t, <-booked)
	var up int64
	require.NoError(t, s.db.NewRaw("select used_up from client_profiles").Scan(t.Context(), &up))
	require.EqualValues(t, 1, up)
}
