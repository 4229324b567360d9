package many_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/modules/flows/internal/many"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/operations"
)

// sum is an operation that gives each of its flows a one.
type sum struct {
	bun.BaseModel `bun:"table:sums,alias:s"`
	many.Record

	Done  []int `bun:",array"`
	Aside string
}

func (s *sum) Names() []string {
	names := make([]string, len(s.Done))
	for i := range names {
		names[i] = "flow"
	}
	return names
}

func (s *sum) Leave(code, _ string) { s.Aside = code }

func (s *sum) Outcome() error {
	done := 0
	for _, n := range s.Done {
		done += n
	}
	return many.Missed(len(s.Done), done, "flows have no one")
}

type sums = many.Operations[sum, *sum]

// panel is one that carries out sums, and what it does in each step.
type panel struct {
	*sums
	db    *database.DB
	clock *clockwork.FakeClock
	id    string
	step  func(ctx context.Context, of *sum) error
}

func newPanel(t *testing.T, flows int) *panel {
	t.Helper()
	p := &panel{db: dbtest.New(t), clock: clockwork.NewFakeClock(), id: database.NewID()}
	_, err := p.db.NewRaw(`create table sums (id uuid primary key, operation_id uuid not null, written int not null default 0,
		started_by text not null, account_id text not null, started_at timestamptz not null, finished_at timestamptz,
		done int[] not null, aside text not null)`).Exec(t.Context())
	require.NoError(t, err)
	p.step = p.oneMore
	p.sums = many.New(p.db, p.clock, nil, nil, many.Kind[*sum]{
		Job: "sums", About: "sum", Running: 1, Longest: time.Hour, Columns: []string{"done"},
		Step: func(ctx context.Context, of *sum, progress many.Progress) error {
			return errors.Join(p.step(ctx, of), progress(ctx, 50))
		},
	})
	_, err = p.db.NewInsert().Model(&sum{Done: make([]int, flows), Record: many.Record{
		ID: p.id, OperationID: database.NewID(), StartedBy: "ann", AccountID: database.NewID(), StartedAt: p.clock.Now(),
	}}).Exec(t.Context())
	require.NoError(t, err)
	return p
}

// oneMore gives the next flow its one.
func (p *panel) oneMore(ctx context.Context, of *sum) error {
	for i, n := range of.Done {
		if n == 0 {
			of.Done[i]++
			break
		}
	}
	if of.Outcome() == nil {
		p.Finish(of)
	}
	return p.Write(ctx, of)
}

func (p *panel) stored(t *testing.T) *sum {
	t.Helper()
	of := new(sum)
	require.NoError(t, p.db.NewSelect().Model(of).Where("id = ?", p.id).Scan(t.Context()))
	return of
}

func noProgress(context.Context, int) error { return nil }

// Steps follow each other, as the one who asked, until nothing is left; the end has its moment.
func TestAnOperationRunsToItsEnd(t *testing.T) {
	t.Parallel()
	p := newPanel(t, 3)
	var told []int
	p.step = func(ctx context.Context, of *sum) error {
		require.Equal(t, "ann", access.From(ctx).Username)
		return p.oneMore(ctx, of)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- p.Run(t.Context(), p.id, func(_ context.Context, percent int) error {
			told = append(told, percent)
			return nil
		})
	}()
	for range 2 { // a pause between two steps
		require.NoError(t, p.clock.BlockUntilContext(t.Context(), 1))
		p.clock.Advance(time.Second)
	}
	require.NoError(t, <-ended)
	require.Equal(t, []int{50, 50, 50}, told)
	of := p.stored(t)
	require.Equal(t, []int{1, 1, 1}, of.Done)
	require.Equal(t, 3, of.Written)
	require.True(t, of.FinishedAt.Equal(p.clock.Now().Truncate(time.Microsecond)))
	shown, err := p.Get(t.Context(), p.id)
	require.NoError(t, err)
	require.Equal(t, of.FinishedAt, shown.FinishedAt)
}

// An operation that ends between the two looks of a reader has ended as it has, and one whose end no panel could note
// was cancelled.
func TestAnEndThatComesWhileItIsReadIsNoCancellation(t *testing.T) {
	t.Parallel()
	p := newPanel(t, 1)
	followed := operations.NewStore(p.db, nil)
	begun := p.stored(t)
	require.NoError(t, followed.Begin(t.Context(), begun.OperationID, "sums", operations.About{}, nil))
	ends := func(ctx context.Context, _ *sum) error {
		_, err := p.db.NewRaw("update operations set state = 'succeeded', finished_at = now()").Exec(ctx)
		return err
	}
	look := func(ctx context.Context, of *sum) error {
		return errors.Join(p.Run(ctx, p.id, noProgress), ends(ctx, of))
	}
	looks := func(ctx context.Context, of *sum) error { return look(ctx, of) }
	reader := many.New[sum](p.db, p.clock, nil, followed, many.Kind[*sum]{Look: looks})
	shown, err := reader.Get(t.Context(), p.id)
	require.NoError(t, err)
	require.Empty(t, shown.Aside)
	require.Equal(t, []int{1}, shown.Done)
	require.NotNil(t, shown.FinishedAt)

	_, err = p.db.NewRaw("update sums set finished_at = null").Exec(t.Context())
	require.NoError(t, err)
	look = ends
	shown, err = reader.Get(t.Context(), p.id)
	require.NoError(t, err)
	require.Equal(t, many.Cancelled, shown.Aside)
	require.NotNil(t, shown.FinishedAt)
}

// A panel that dies is continued by another one from what the row says; what is over is not done again.
func TestAnotherPanelContinues(t *testing.T) {
	t.Parallel()
	p := newPanel(t, 2)
	killed := errors.New("killed")
	p.step = func(ctx context.Context, of *sum) error { return errors.Join(p.oneMore(ctx, of), killed) }
	require.ErrorIs(t, p.Run(t.Context(), p.id, noProgress), killed)
	require.Equal(t, []int{1, 0}, p.stored(t).Done)
	p.step = p.oneMore
	require.NoError(t, p.Run(t.Context(), p.id, noProgress))
	require.Equal(t, []int{1, 1}, p.stored(t).Done)

	p.step = func(context.Context, *sum) error { return killed }
	require.NoError(t, p.Run(t.Context(), p.id, noProgress), "it is over")
}

// A panel that was frozen and comes back writes nothing over what another one has done, and may try again.
func TestAPanelThatComesBackTooLateWritesNothing(t *testing.T) {
	t.Parallel()
	p := newPanel(t, 2)
	late := p.stored(t)
	require.NoError(t, p.oneMore(t.Context(), p.stored(t)))
	late.Done = []int{9, 9}
	require.ErrorContains(t, p.Write(t.Context(), late), "another panel")
	require.Equal(t, []int{1, 0}, p.stored(t).Done)
	require.Zero(t, late.Written, "it has not been written")
}

// What is asked for an operation that is not there is not found; its job is never tried again.
func TestAnOperationThatIsNotThere(t *testing.T) {
	t.Parallel()
	p := newPanel(t, 1)
	for _, id := range []string{"nonsense", database.NewID()} {
		_, err := p.Get(t.Context(), id)
		require.Equal(t, fault.KindMissing, fault.KindOf(err), id)
	}
	err := p.Run(t.Context(), database.NewID(), noProgress)
	require.ErrorContains(t, err, jobs.Permanent(fault.Missing(fault.NoSuchThing)).Error())
}

// A refusal is about one flow, and the others go on; an outage, or the end of the panel, is about all of them.
func TestRefusalsAreAboutOneFlow(t *testing.T) {
	t.Parallel()
	refused := fault.Conflict("plan_stale", "compile again")
	require.Equal(t, "plan_stale", many.Refusal(t.Context(), refused).Code)
	require.Nil(t, many.Refusal(t.Context(), errors.New("the database is away")))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.Nil(t, many.Refusal(stopped, refused))
}

// The outcome says how many flows are not as they were wanted.
func TestTheOutcomeCountsWhatWasMissed(t *testing.T) {
	t.Parallel()
	require.NoError(t, many.Missed(2, 2, "flows were not applied"))
	require.EqualError(t, many.Missed(3, 1, "flows were not applied"), "2 of 3 flows were not applied")
}
