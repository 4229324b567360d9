package audit

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/database/dbtest"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const plenty = time.Minute

type journal struct {
	*Store
	t     testing.TB
	clock *clockwork.FakeClock
	dir   string
}

func newJournal(t testing.TB) *journal {
	t.Helper()
	return journalOn(t, dbtest.New(t), t.TempDir(), nil)
}

func journalOn(t testing.TB, db *database.DB, dir string, settings map[string]string) *journal {
	t.Helper()
	values := map[string]string{"PANEL_DATA_DIR": dir, "PANEL_SECRET_KEY": "a master key for the journal's tests"}
	for name, value := range settings {
		values[name] = value
	}
	cfg, err := config.Of(values)
	require.NoError(t, err)
	clock := clockwork.NewFakeClockAt(start)
	s, err := New(db, clock, zap.NewNop(), cfg)
	require.NoError(t, err)
	return &journal{s, t, clock, dir}
}

var anna = access.Caller{
	Kind: access.Admin, AccountID: "0197f3a0-0000-7000-8000-00000000000a", Username: "anna", IP: "203.0.113.7",
	UserAgent: "Firefox", RequestID: "0197f3a0-0000-7000-8000-00000000000b",
}

func (j *journal) record(action string) {
	j.t.Helper()
	ctx := access.With(j.t.Context(), anna)
	require.NoError(j.t, j.Record(ctx, j.db, Entry{
		Action: action, Object: Object{"flow", action, action},
		Changes: map[string]Change{"name": {"a", action}},
	}))
}

// filled writes and seals n entries; their numbers in the chain are 1 to n.
func (j *journal) filled(n int) {
	j.t.Helper()
	for i := range n {
		j.record("flow.created" + string(rune('a'+i)))
		j.tended()
	}
}

func (j *journal) tended() {
	j.t.Helper()
	require.NoError(j.t, j.tend(j.t.Context(), false))
}

func (j *journal) verified() Report {
	j.t.Helper()
	report, err := j.Verify(j.t.Context(), plenty)
	require.NoError(j.t, err)
	return report
}

// tamper changes the table as somebody with all rights on the database can.
func (j *journal) tamper(statements ...string) {
	j.t.Helper()
	err := j.db.WithTx(j.t.Context(), func(ctx context.Context, tx bun.Tx) error {
		for _, statement := range append([]string{"set local session_replication_role = replica"}, statements...) {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(j.t, err)
}

func (j *journal) found(want ...Finding) {
	j.t.Helper()
	j.reported(j.verified(), want...)
}

func (j *journal) reported(report Report, want ...Finding) {
	j.t.Helper()
	got := make([]Finding, len(report.Findings))
	for i, f := range report.Findings {
		require.NotEmpty(j.t, f.Detail)
		got[i] = Finding{Kind: f.Kind, Seq: f.Seq, LastSeq: f.LastSeq}
	}
	require.ElementsMatch(j.t, want, got)
	require.Equal(j.t, len(want) == 0, report.Intact)
}

func TestAnEntryCarriesWhoFromWhereAndWhat(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.record("flow.created")
	var row Row
	require.NoError(t, j.db.NewSelect().Model(&row).Scan(t.Context()))
	require.Equal(t, []string{"admin", anna.AccountID, "anna", "203.0.113.7", "Firefox", anna.RequestID, "ok", "flow"},
		[]string{
			row.ActorKind, row.ActorID, row.ActorName, row.IP, row.UserAgent, row.RequestID, row.Result,
			row.ObjectType,
		})
	require.JSONEq(t, `{"name":{"from":"a","to":"flow.created"}}`, row.Changes)
	require.True(t, row.At.Equal(start))
}

func TestTheEntryBelongsToTheTransactionOfTheChange(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	err := j.db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		require.NoError(t, j.Record(ctx, tx, Entry{Action: "flow.created"}))
		return context.Canceled
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, j.count())
}

func (j *journal) count() int {
	n, err := j.db.NewSelect().Model((*Row)(nil)).Count(j.t.Context())
	require.NoError(j.t, err)
	return int(n)
}

func TestValuesOfSecretFieldsNeverReachTheJournal(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	const canary = "c4n4ry-secret"
	require.NoError(t, j.Record(t.Context(), j.db, Entry{Action: "x", Changes: map[string]Change{
		"password": {canary, canary}, "api_token": {nil, canary}, "bot.Token": {"", canary}, "totp_secret": {
			"unset",
			"set",
		}, "has_token": {false, true},
	}}))
	var row Row
	require.NoError(t, j.db.NewSelect().Model(&row).Scan(t.Context()))
	require.NotContains(t, row.Changes, canary)
	require.JSONEq(t, `{"password":{"from":"set","to":"set"},"api_token":{"from":null,"to":"set"},"bot.Token":{"from":"unset","to":"set"},
		"totp_secret":{"from":"unset","to":"set"},"has_token":{"from":false,"to":true}}`, row.Changes)
}

func TestTextsThatTheDatabaseCannotHoldDoNotBreakTheAction(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	caller := anna
	caller.UserAgent = "broken \xff\x00 agent"
	ctx := access.With(t.Context(), caller)
	require.NoError(t, j.Record(ctx, j.db, Entry{
		Action: "x", Object: Object{Name: "nul\x00"},
		Changes: map[string]Change{"note": {nil, strings.Repeat("ü", 5000)}},
	}))
	j.tended()
	j.found()
}

func TestUpdatesAndDeletesAreRefused(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	j.record("sealed")
	j.tended()
	j.record("open")
	for _, statement := range []string{
		"update journal set action = 'x'", "update journal set seq = seq + 10, hash = '' where seq is not null",
		"delete from journal",
		"truncate journal", "update journal set seq = 9, action = 'x' where seq is null",
	} {
		_, err := j.db.ExecContext(t.Context(), statement)
		require.ErrorContains(t, err, "append-only", statement)
	}
	require.Equal(t, 2, j.count())
}
