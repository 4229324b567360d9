package kills

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database"
	"panel/platform/database/dbtest"
)

// Rule: kill -9 of the panel at each statement of an act about a user, and of its undoing, leaves the act whole or not
// at all: the client is limited as long as the act holds, its case says so, and the journal tells of both.
// PANEL_TEST_KILLS asks for every statement.
func TestKillsAtTheStatementsOfAnActLeaveItWhole(t *testing.T) {
	t.Parallel()
	a := beginActs(t)
	a.wire.count(0, nil)
	a.doAndUndo()
	statements := a.wire.counted()
	a.whole()
	require.Greater(t, len(statements), 15, "of the act, its effect, its undoing and their lines in the journal")
	number := min(kills(t), len(statements))
	for i := range number {
		a.killBefore(1 + i*len(statements)/number)
		a.whole()
		a.clear()
	}
	t.Logf("killed before %d of %d statements; acknowledged %d acts", number, len(statements), len(a.acked))
}

// actsWorld is a panel with one client and its open case, and every connection to its database.
type actsWorld struct {
	*testing.T
	stand          *rig.Stand
	wire           *wire
	db             *pgx.Conn
	client, caseID string
	acked          []string
}

func beginActs(t *testing.T) *actsWorld {
	t.Helper()
	a := &actsWorld{T: t, caseID: database.NewID()}
	dsn := dbtest.Empty(t)
	through := ""
	a.wire, through = newWire(t, dsn, "abuse_actions")
	a.stand = rigtest.Install(t, rig.PanelSettings{DSN: through})
	var err error
	a.db, err = pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.db.Close(context.Background()) })
	var flow, client struct{ ID string }
	require.NoError(t, a.stand.API.Post(t.Context(), "/api/v1/connection-units",
		map[string]any{"name": "a flow"}, &flow))
	require.NoError(t, a.stand.API.Post(t.Context(), "/api/v1/clients",
		map[string]any{"label": "Anna", "flow_ids": []string{flow.ID}}, &client))
	a.client = client.ID
	_, err = a.db.Exec(t.Context(), `insert into abuse_cases (id, user_ref, state, score, most, confidence, recommended,
			breakdown, findings, signals, node_ids, flow_ids, evidence_at, opened_at, updated_at, scored_at)
		values ($1, 'c:' || $2, 'open', 80, 255, 1, 'soft_block', '[]', '[]', '{}', '{}', '{}', now(), now(), now(), now())`,
		a.caseID, a.client)
	require.NoError(t, err)
	return a
}

// doAndUndo limits the client and undoes it; what the panel has acknowledged must be there.
func (a *actsWorld) doAndUndo() {
	var done struct{ ID string }
	err := a.stand.API.Post(a.Context(), "/api/v1/abuse/cases/"+a.caseID+"/actions",
		map[string]any{"kind": "limit", "reason": "a kill", "minutes": 60}, &done)
	a.refusedByNobody(err)
	if err != nil {
		return
	}
	a.acked = append(a.acked, done.ID)
	a.refusedByNobody(a.stand.API.Post(a.Context(), "/api/v1/abuse/actions/"+done.ID+"/undo", nil, nil))
}

// refusedByNobody lets errors without an answer pass, which is what a kill looks like.
func (a *actsWorld) refusedByNobody(err error) {
	a.Helper()
	var problem *rig.Refusal
	if errors.As(err, &problem) {
		require.GreaterOrEqual(a, problem.Status, http.StatusInternalServerError, err)
	}
}

func (a *actsWorld) killBefore(number int) {
	a.Helper()
	panel := a.stand.Panel
	pid := panel.PID()
	a.wire.count(number, func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	a.doAndUndo()
	select {
	case <-panel.Ended():
	case <-time.After(20 * time.Second): // it took fewer statements this time
		panel.Kill()
	}
	a.wire.counted()
	require.NoError(a, panel.Up(a.Context()))
}

// whole compares the act, its effect, its case and the journal.
func (a *actsWorld) whole() {
	a.Helper()
	var active, rows, over, limited, did, undid int
	var state string
	require.NoError(a, a.db.QueryRow(a.Context(), `select
			(select count(*) from abuse_actions where state = 'active'), (select count(*) from abuse_actions),
			(select count(*) from abuse_actions where state = 'undone'),
			(select count(*) from client_profiles where id = $1 and (speed_mbps, addresses) = (2, 1)),
			(select state from abuse_cases where id = $2),
			(select count(*) from journal where action = 'abuse.case_actioned'),
			(select count(*) from journal where action = 'abuse.action_undone')`, a.client, a.caseID).
		Scan(&active, &rows, &over, &limited, &state, &did, &undid))
	require.Equal(a, active, limited, "the client is limited as long as the act holds")
	require.Equal(a, map[int]string{0: "open", 1: "actioned"}[active], state)
	require.Equal(a, [2]int{rows, over}, [2]int{did, undid}, "lines in the journal")
	require.Equal(a, rows, active+over)
	var kept int
	require.NoError(a, a.db.QueryRow(a.Context(), "select count(*) from abuse_actions where id = any($1::uuid[])",
		append([]string{}, a.acked...)).Scan(&kept))
	require.Equal(a, len(a.acked), kept, "acknowledged acts")
}

// clear undoes what a kill has left.
func (a *actsWorld) clear() {
	a.Helper()
	var id string
	err := a.db.QueryRow(a.Context(), "select id::text from abuse_actions where state = 'active'").Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return
	}
	require.NoError(a, err)
	require.NoError(a, a.stand.API.Post(a.Context(), "/api/v1/abuse/actions/"+id+"/undo", nil, nil))
	a.whole()
}
