package idempotency_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/fault"
	"panel/platform/idempotency"
	"panel/platform/vault"
)

// bench is a store, and a table that stands for what requests change.
type bench struct {
	*testing.T
	db    *database.DB
	store *idempotency.Store
}

func newBench(t *testing.T) bench {
	t.Helper()
	db := dbtest.New(t)
	key, _, err := vault.MasterKey("0123456789abcdef0123456789abcdef", t.TempDir())
	require.NoError(t, err)
	v, err := vault.New(key)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "create table things (id int)")
	require.NoError(t, err)
	return bench{T: t, db: db, store: idempotency.NewStore(db, v)}
}

func request(body string) idempotency.Request {
	return idempotency.Request{
		AccountID: "0190b6f0-0000-7000-8000-000000000000", Operation: "POST /things", Key: "key",
		Digest: sha256.Sum256([]byte(body)),
		Within: time.Hour,
	}
}

var made = idempotency.Answer{
	Status: http.StatusCreated, ContentType: "application/json",
	Body: []byte(`{"secret":"canary"}`),
}

// change is the work of a request.
func (b bench) change(run *idempotency.Run) error {
	return b.db.InTx(run.Context(b.Context()), func(ctx context.Context) error {
		_, err := b.db.In(ctx).ExecContext(ctx, "insert into things values (1)")
		return err
	})
}

func (b bench) changes() (n int) {
	require.NoError(b, b.db.NewRaw("select count(*) from things").Scan(b.Context(), &n))
	return n
}

func (b bench) begun(r idempotency.Request) *idempotency.Run {
	b.Helper()
	run, answer, err := b.store.Begin(b.Context(), r)
	require.NoError(b, err)
	require.Nil(b, answer)
	require.NotNil(b, run)
	return run
}

func (b bench) refused(r idempotency.Request, code string) {
	b.Helper()
	_, _, err := b.store.Begin(b.Context(), r)
	require.Equal(b, code, fault.Code(err), "%v", err)
}

// later lets the time pass in which the first request may still be at work.
func (b bench) later() {
	_, err := b.db.ExecContext(b.Context(), "update idempotency_keys set held_until = now() - interval '1 second'")
	require.NoError(b, err)
}

func TestARepeatedRequestGetsTheSameAnswerAndAnotherOneIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run := b.begun(request("one"))
	b.refused(request("one"), "idempotency_in_progress")
	b.refused(request("another"), "idempotency_mismatch")
	require.NoError(t, b.change(run))
	require.NoError(t, run.End(t.Context(), made))
	_, answer, err := b.store.Begin(t.Context(), request("one"))
	require.NoError(t, err)
	require.Equal(t, &made, answer)
	b.refused(request("another"), "idempotency_mismatch")
	other := request("one")
	other.AccountID = "0190b6f0-0000-7000-8000-000000000001"
	b.begun(other)
	var stored string
	require.NoError(t, b.db.NewRaw("select string_agg(k::text, ' ') from idempotency_keys k").Scan(t.Context(),
		&stored))
	require.NotContains(t, stored, "canary", "answers are sealed")
	digest := sha256.Sum256([]byte("one"))
	require.NotContains(t, stored, hex.EncodeToString(digest[:]),
		"a password in a request cannot be guessed from its digest")
}

func TestARequestThatFailedLeavesItsKeyFree(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.NoError(t, b.begun(request("one")).End(t.Context(), idempotency.Answer{Status: http.StatusConflict}))
	b.begun(request("another"))
}

// A request is known again after the master key was changed.
func TestARequestIsKnownUnderTheEarlierMasterKey(t *testing.T) {
	t.Parallel()
	const first, second = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"
	b := newBench(t)
	before, err := vault.New(first)
	require.NoError(t, err)
	after, err := vault.New(second, first)
	require.NoError(t, err)
	b.store = idempotency.NewStore(b.db, before)
	require.NoError(t, b.begun(request("one")).End(t.Context(), made))
	b.store = idempotency.NewStore(b.db, after)
	_, answer, err := b.store.Begin(t.Context(), request("one"))
	require.NoError(t, err)
	require.Equal(t, &made, answer)
	b.refused(request("another"), "idempotency_mismatch")
}

// A request that failed after it had changed something is answered as it was, and not done again.
func TestARequestThatFailedHalfwayIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run := b.begun(request("one"))
	require.NoError(t, b.change(run))
	failed := idempotency.Answer{Status: http.StatusBadGateway, Body: []byte("{}")}
	require.NoError(t, run.End(t.Context(), failed))
	_, answer, err := b.store.Begin(t.Context(), request("one"))
	require.NoError(t, err)
	require.Equal(t, failed.Status, answer.Status)
	require.Equal(t, 1, b.changes())
}

// A panel that is killed before the commit has done nothing: the repeated request does the work, once.
func TestAKillBeforeTheCommitLeavesTheWorkToTheRepeatedRequest(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.begun(request("one"))
	b.refused(request("one"), "idempotency_in_progress")
	b.later()
	b.refused(request("another"), "idempotency_mismatch")
	run := b.begun(request("one"))
	require.NoError(t, b.change(run))
	require.NoError(t, run.End(t.Context(), made))
	require.Equal(t, 1, b.changes())
}

// A panel that is killed between the commit and the answer has done the work: nobody does it again.
func TestAKillAfterTheCommitIsToldAndNeverDoneAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.NoError(t, b.change(b.begun(request("one"))))
	b.refused(request("one"), "idempotency_in_progress")
	b.later()
	b.refused(request("one"), "idempotency_answer_lost")
	require.Equal(t, 1, b.changes())
}

// A request that was frozen for longer than its time, and whose key another one has taken, changes nothing when it
// wakes up.
func TestAFrozenRequestChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	frozen := b.begun(request("one"))
	b.later()
	second := b.begun(request("one"))
	require.Equal(t, "idempotency_in_progress", fault.Code(b.change(frozen)))
	require.Zero(t, b.changes())
	require.NoError(t, frozen.End(t.Context(), idempotency.Answer{Status: http.StatusConflict}))
	require.NoError(t, b.change(second))
	require.NoError(t, second.End(t.Context(), made))
	require.Equal(t, 1, b.changes())
}

func TestOfManyRequestsAtOnceOneDoesTheWork(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			run, _, err := b.store.Begin(t.Context(), request("one"))
			if run != nil && err == nil {
				if err := errors.Join(b.change(run), run.End(t.Context(), made)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, b.changes())
}
