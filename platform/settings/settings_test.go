package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/vault"
)

type mail struct {
	Language string `json:"language"`
	Quiet    struct {
		From int `json:"from"`
		To   int `json:"to"`
	} `json:"quiet"`
	Messenger struct {
		Chat  string `json:"chat"`
		Token Secret `json:"token,omitempty"`
	} `json:"messenger"`
	Key Secret `json:"key,omitempty"`
}

func defaults() mail {
	var m mail
	m.Language, m.Quiet.To = "en", 7
	return m
}

// journal remembers what was recorded; its entries are part of the transaction only in the real one.
type journal struct {
	mu      sync.Mutex
	entries []audit.Entry
}

func (j *journal) Record(_ context.Context, _ bun.IDB, entry audit.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, entry)
	return nil
}

// news remembers what was emitted.
type news struct {
	mu  sync.Mutex
	all []events.Event
}

func (n *news) Emit(_ context.Context, some ...events.Event) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, some...)
	return nil
}

type panel struct {
	db      *database.DB
	store   *Store
	journal *journal
	news    *news
	clock   *clockwork.FakeClock
	doc     *Doc[mail]
}

// on starts the settings of a panel on a database, with its listener.
func on(t *testing.T, db *database.DB, check func(*mail) error) *panel {
	t.Helper()
	safe, err := vault.New("a-master-key-for-tests")
	require.NoError(t, err)
	listener := database.NewListener(db.Pool, zap.NewNop())
	p := &panel{db: db, journal: &journal{}, news: &news{}, clock: clockwork.NewFakeClockAt(time.Date(2026, 11, 1, 12,
		0, 0, 0, time.UTC))}
	p.store = NewStore(db, safe, p.journal, p.clock, listener, p.news)
	p.doc = Open(p.store, "mail", "mail.settings_changed", defaults(), check)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = listener.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	require.Eventually(t, listener.Healthy, 60*time.Second, time.Millisecond)
	return p
}

func TestADocumentBeginsWithItsDefaults(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	value, state, err := p.doc.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, defaults(), value)
	require.Equal(t, State{}, state)
}

func TestAStoredDocumentIsReadBackWithItsRevision(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	next := defaults()
	next.Language, next.Quiet.From = "ru", 23
	_, state, err := p.doc.Put(t.Context(), 0, next)
	require.NoError(t, err)
	require.EqualValues(t, 1, state.Revision)
	require.True(t, state.Stored)
	require.Equal(t, p.clock.Now(), *state.UpdatedAt)
	value, read, err := p.doc.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, next, value)
	require.Equal(t, state, read)
}

// A field that a newer panel adds has its default in documents that were stored before.
func TestAFieldThatWasNotStoredHasItsDefault(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	_, err := p.db.ExecContext(t.Context(),
		`insert into settings_documents values ('mail', 4, '{"quiet": {"from": 3}, "gone": 1}', now())`)
	require.NoError(t, err)
	value, state, err := p.doc.Get(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 4, state.Revision)
	require.Equal(t, "en", value.Language)
	require.Equal(t, 3, value.Quiet.From)
	require.Equal(t, 7, value.Quiet.To)
}

func TestASecretIsStoredSealedAndStaysUntilItIsReplaced(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	next := defaults()
	next.Messenger.Token, next.Key = NewSecret("bot-token-canary"), NewSecret("key-canary")
	_, _, err := p.doc.Put(t.Context(), 0, next)
	require.NoError(t, err)

	var dump string
	require.NoError(t, p.db.NewRaw(`select (select string_agg(value::text, '') from settings_documents)
		|| (select string_agg(field || sealed, ' ') from settings_secrets)`).Scan(t.Context(), &dump))
	require.NotContains(t, dump, "canary")
	require.Contains(t, dump, "messenger.token")

	var again mail // as a request body without the secrets gives it, but for one that is removed
	require.NoError(t, json.Unmarshal([]byte(`{"language":"ru","messenger":{"chat":"7"},"key":""}`), &again))
	stored, _, err := p.doc.Put(t.Context(), 1, again)
	require.NoError(t, err)
	require.Equal(t, "bot-token-canary", stored.Messenger.Token.Reveal())
	value, _, err := p.doc.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, "bot-token-canary", value.Messenger.Token.Reveal())
	require.False(t, value.Key.Set())
}

func TestASecretNeverPrints(t *testing.T) {
	t.Parallel()
	next := defaults()
	next.Key = NewSecret("canary")
	text, err := json.Marshal(next)
	require.NoError(t, err)
	require.NotContains(t, string(text)+fmt.Sprintf("%v %+v %#v %s %x", next, next, next, next.Key, next.Key), "canary")
}

func TestTheJournalTellsWhatChangedAndOfSecretsOnlyThatTheyDid(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	next := defaults()
	next.Quiet.From, next.Key = 22, NewSecret("canary")
	_, _, err := p.doc.Put(t.Context(), 0, next)
	require.NoError(t, err)
	next.Key = NewSecret("another canary")
	_, _, err = p.doc.Put(t.Context(), 1, next)
	require.NoError(t, err)
	require.Len(t, p.journal.entries, 2)
	require.Equal(t, audit.Entry{
		Action: "mail.settings_changed", Object: audit.Object{Type: "settings", ID: "mail", Name: "mail"},
		Changes: map[string]audit.Change{"quiet.from": {From: 0.0, To: 22.0}, "key": {From: "unset", To: "set"}},
	}, p.journal.entries[0])
	require.Equal(t, map[string]audit.Change{"key": {From: "set", To: "set"}}, p.journal.entries[1].Changes)
}

func TestTheSecondOfTwoWritersIsRefused(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	const writers = 8
	answers := make(chan error, writers)
	for n := range writers {
		go func() {
			next := defaults()
			next.Quiet.From = n
			_, _, err := p.doc.Put(context.Background(), 0, next)
			answers <- err
		}()
	}
	won := 0
	for range writers {
		if err := <-answers; err == nil {
			won++
		} else {
			require.Equal(t, "revision_conflict", fault.Code(err))
			require.Equal(t, fault.KindConflict, fault.KindOf(err))
		}
	}
	require.Equal(t, 1, won)
}

func TestARefusedValueChangesNothing(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), func(m *mail) error {
		if m.Quiet.From > 24 {
			return fault.InvalidValue("settings.quiet.from", "an hour is at most 24")
		}
		m.Quiet.To = 8 // a check may complete the value
		return nil
	})
	next := defaults()
	next.Quiet.From = 25
	_, _, err := p.doc.Put(t.Context(), 0, next)
	require.Equal(t, "invalid_value", fault.Code(err))
	require.Empty(t, p.journal.entries)
	next.Quiet.From = 1
	stored, _, err := p.doc.Put(t.Context(), 0, next)
	require.NoError(t, err)
	require.Equal(t, 8, stored.Quiet.To)
}

func TestAChangeInATransactionThatFailsIsNotSeen(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	broken := errors.New("broken")
	err := p.db.InTx(t.Context(), func(ctx context.Context) error {
		next := defaults()
		next.Language = "ru"
		if _, _, err := p.doc.Put(ctx, 0, next); err != nil {
			return err
		}
		value, _, err := p.doc.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, "ru", value.Language, "the transaction sees its own change")
		return broken
	})
	require.ErrorIs(t, err, broken)
	value, _, err := p.doc.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, "en", value.Language)
}

func TestAnotherPanelSeesTheChange(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	one, two := on(t, db, nil), on(t, db, nil)
	for n := range 20 {
		_, state, err := two.doc.Get(t.Context())
		require.NoError(t, err)
		next := defaults()
		next.Quiet.From = n + 1
		_, _, err = one.doc.Put(t.Context(), state.Revision, next)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			value, _, err := two.doc.Get(t.Context())
			return err == nil && value.Quiet.From == n+1
		}, 60*time.Second, time.Millisecond)
	}
}

// In steady state a document costs no statement.
func TestADocumentIsReadFromMemory(t *testing.T) {
	t.Parallel()
	db, count := dbtest.Counted(t)
	p := on(t, db, nil)
	_, _, err := p.doc.Get(t.Context())
	require.NoError(t, err)
	require.Zero(t, count.Fewest(func() {
		for range 100 {
			_, _, err := p.doc.Get(t.Context())
			require.NoError(t, err)
		}
	}))
}

func TestASecretOfAnotherKeyIsAnErrorAndNotAnEmptyOne(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	next := defaults()
	next.Key = NewSecret("canary")
	_, _, err := p.doc.Put(t.Context(), 0, next)
	require.NoError(t, err)
	_, err = p.db.ExecContext(t.Context(), "update settings_secrets set sealed = 'v1.damaged'")
	require.NoError(t, err)
	p.doc.cached.Store(nil)
	_, _, err = p.doc.Get(t.Context())
	require.ErrorIs(t, err, vault.ErrDamaged)
}

// Whoever looks at the database without a panel sees what is stored and since when, and no secret.
func TestStoredSettingsAreReadWithoutAPanel(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	read := defaults()
	changed, err := Stored(t.Context(), p.db, "mail", &read)
	require.NoError(t, err)
	require.True(t, changed.IsZero())
	require.Equal(t, defaults(), read, "nothing was stored")
	value := defaults()
	value.Language, value.Key = "ru", NewSecret("canary")
	_, _, err = p.doc.Put(t.Context(), 0, value)
	require.NoError(t, err)
	changed, err = Stored(t.Context(), p.db, "mail", &read)
	require.NoError(t, err)
	require.WithinDuration(t, p.clock.Now(), changed, time.Second)
	require.Equal(t, "ru", read.Language)
	require.NotContains(t, read.Key.Reveal(), "canary")
}
