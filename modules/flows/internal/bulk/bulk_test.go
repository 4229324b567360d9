package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/bulk"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/fault"
)

// tables are as much of those of flows as bulk applies need.
const tables = `create table flow_applies (id uuid primary key, plan_id uuid, stage text not null, error jsonb,
		started_at timestamptz not null default now(), finished_at timestamptz);
	create table flow_bulk_applies (id uuid primary key, operation_id uuid not null, stop_on_failure boolean not null,
		items jsonb not null, written integer not null default 0, started_by text not null, account_id text not null,
		started_at timestamptz not null, finished_at timestamptz)`

// bench is a database with one bulk apply of some flows, and applies that end as soon as they have begun.
type bench struct {
	t       *testing.T
	db      *database.DB
	id      string
	plans   []string
	begun   []string // plans, in the order in which they were installed
	install bulk.Installer
}

func newBench(t *testing.T, flows int, stopOnFailure bool) *bench {
	t.Helper()
	b := &bench{t: t, db: dbtest.New(t), id: database.NewID()}
	b.install = b.installed
	_, err := b.db.NewRaw(tables).Exec(t.Context())
	require.NoError(t, err)
	items := make([]bulk.Item, flows)
	for i := range items {
		b.plans = append(b.plans, database.NewID())
		items[i] = bulk.Item{
			Wanted: bulk.Wanted{FlowID: database.NewID(), ID: b.plans[i], Revision: 1}, State: bulk.Waiting,
			FlowName: fmt.Sprint("flow ", i),
		}
	}
	_, err = b.db.NewRaw(`insert into flow_bulk_applies (id, operation_id, stop_on_failure, items, started_by, account_id,
		started_at) values (?, ?, ?, ?, 'ann', '', now() - interval '1 minute')`, b.id, database.NewID(), stopOnFailure, items).
		Exec(t.Context())
	require.NoError(t, err)
	return b
}

func (b *bench) applies() *bulk.Applies {
	return bulk.New(b.db, clockwork.NewRealClock(), nil, nil,
		func(ctx context.Context, flowID, planID string, revision int) (string, error) {
			return b.install(ctx, flowID, planID, revision)
		})
}

// installed begins an apply that is over at once.
func (b *bench) installed(ctx context.Context, _, planID string, _ int) (string, error) {
	id := database.NewID()
	b.begun = append(b.begun, planID)
	_, err := b.db.NewRaw("insert into flow_applies (id, plan_id, stage, finished_at) values (?, ?, 'applied', now())", id, planID).
		Exec(ctx)
	return id, err
}

func (b *bench) states() (states []string) {
	b.t.Helper()
	a, err := b.applies().Get(b.t.Context(), b.id)
	require.NoError(b.t, err)
	for _, item := range a.Items {
		states = append(states, item.State)
	}
	return states
}

var errKilled = errors.New("killed")

// A panel that dies between beginning an apply and noting it leaves one that the next panel finds and does not begin
// again.
func TestAnApplyThatCouldNotBeNotedIsNotBegunAgain(t *testing.T) {
	t.Parallel()
	for _, stopOnFailure := range []bool{false, true} {
		b := newBench(t, 3, stopOnFailure)
		b.install = func(ctx context.Context, flowID, planID string, revision int) (string, error) {
			id, err := b.installed(ctx, flowID, planID, revision)
			if len(b.begun) == 2 {
				return "", errors.Join(errKilled, err)
			}
			return id, err
		}
		require.ErrorIs(t, b.applies().Run(t.Context(), b.id, noProgress), errKilled)
		require.NoError(t, b.applies().Run(t.Context(), b.id, noProgress))
		require.Equal(t, b.plans, b.begun, "each once, in their order")
		require.Equal(t, []string{"applied", "applied", "applied"}, b.states())
	}
}

// A panel that comes back after another one has gone on writes nothing any more.
func TestAPanelThatComesBackTooLateWritesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, 2, true)
	other := b.applies()
	b.install = func(ctx context.Context, flowID, planID string, revision int) (string, error) {
		b.install = b.installed
		require.NoError(t, other.Run(ctx, b.id, noProgress)) // while this one is frozen
		return "", fault.Conflict("apply_active", "another change of the flow is being installed")
	}
	require.Error(t, b.applies().Run(t.Context(), b.id, noProgress))
	require.Equal(t, []string{"applied", "applied"}, b.states())
}

// An outage of the panel is no refusal: the flow keeps its turn and is installed by the next attempt.
func TestAnOutageIsNoRefusal(t *testing.T) {
	t.Parallel()
	b := newBench(t, 2, false)
	b.install = func(context.Context, string, string, int) (string, error) {
		return "", fault.Unavailable("the database restarts")
	}
	require.Error(t, b.applies().Run(t.Context(), b.id, noProgress))
	b.install = b.installed
	require.NoError(t, b.applies().Run(t.Context(), b.id, noProgress))
	require.Equal(t, b.plans, b.begun)
}

// A flow that is deleted while its apply is looked after ends, with its reason.
func TestAFlowThatIsDeletedMeanwhileEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1, false)
	b.install = func(context.Context, string, string, int) (string, error) { return database.NewID(), nil }
	require.ErrorContains(t, b.applies().Run(t.Context(), b.id, noProgress), "1 of 1 flows")
	a, err := b.applies().Get(t.Context(), b.id)
	require.NoError(t, err)
	require.Equal(t, "failed", a.Items[0].State)
	require.Equal(t, "not_found", a.Items[0].Code)
	require.WithinDuration(t, time.Now(), *a.FinishedAt, time.Minute)
}

// A refusal names the nodes that it is about; with stop_on_failure nothing after it is begun.
func TestARefusalNamesItsNodes(t *testing.T) {
	t.Parallel()
	b := newBench(t, 3, true)
	b.install = func(ctx context.Context, flowID, planID string, revision int) (string, error) {
		if planID == b.plans[1] {
			return "", fault.Invalid("agent_offline", "the agent does not answer").With("nodes", []string{"ams-1", "waw-2"})
		}
		return b.installed(ctx, flowID, planID, revision)
	}
	require.ErrorContains(t, b.applies().Run(t.Context(), b.id, noProgress), "2 of 3 flows")
	require.Equal(t, []string{"applied", "refused", "skipped"}, b.states())
	require.Equal(t, b.plans[:1], b.begun)
	a, err := b.applies().Get(t.Context(), b.id)
	require.NoError(t, err)
	require.Equal(t, "the agent does not answer: ams-1, waw-2", a.Items[1].Error)
}

func noProgress(context.Context, int) error { return nil }
