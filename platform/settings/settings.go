// Package settings keeps what administrators set while the panel runs: one document for each concern of a module, with
// a revision, a line in the journal for every change, and secrets that are sealed and never shown.
//
// A document is a Go struct whose JSON form is stored. What the operator sets by PANEL_ variables at the start is the
// default of a document, never its value.
package settings

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/vault"
)

// Columns are the sealed columns of this package.
var Columns = []vault.Column{{Table: "settings_secrets", ID: "document || '/' || field", Column: "sealed"}}

const channel = "settings"

// Store is where documents live.
type Store struct {
	db       *database.DB
	vault    *vault.Vault
	journal  audit.Journal
	clock    clockwork.Clock
	listener *database.Listener
	bus      emitter
}

// emitter lets the rest of the panel know what happened; *events.Bus is one.
type emitter interface {
	Emit(ctx context.Context, news ...events.Event) error
}

// NewStore makes the store of a panel.
func NewStore(
	db *database.DB, v *vault.Vault, journal audit.Journal, clock clockwork.Clock, listener *database.Listener,
	bus emitter,
) *Store {
	return &Store{db: db, vault: v, journal: journal, clock: clock, listener: listener, bus: bus}
}

// Changed is the data of the event that a document was changed; its subject is the name of the document.
type Changed struct {
	Revision int64 `json:"revision"`
}

// Kind declares the event that a document was changed, which is called like the action in the journal. Needs is the
// permission to read the document.
func Kind(action, summary string, needs access.Key) events.Kind {
	return events.Kind{Name: action, Summary: summary, Subject: "settings", Needs: needs, Live: true, Data: Changed{}}
}

// State says which edition of a document holds.
type State struct {
	Revision  int64      `json:"revision" doc:"Send it back with a change; 0: nothing was stored yet"`
	Stored    bool       `json:"stored" doc:"false: the defaults hold"`
	UpdatedAt *time.Time `json:"updated_at" doc:"When it was stored last; null: never"`
	Variables []Variable `json:"variables,omitempty" doc:"Fields whose default is a variable, and which of both holds"`
}

// Doc is one document.
type Doc[T any] struct {
	store     *Store
	name      string
	action    string
	defaults  T
	check     func(*T) error
	variables []Variable
	cached    atomic.Pointer[edition[T]]
}

type edition[T any] struct {
	value T
	state State
}

// Open gives the document with a name, which is the module's or begins with it: "notifications", "health.budget".
// Action is what the journal and events call a change; the manifest declares it in both. Check refuses a value with a
// fault; it may complete the value and may be nil.
func Open[T any](s *Store, name, action string, defaults T, check func(*T) error) *Doc[T] {
	d := &Doc[T]{store: s, name: name, action: action, defaults: defaults, check: check}
	s.listener.OnReady(func() { d.cached.Store(nil) })
	s.listener.On(channel, func(changed string) {
		if changed == name {
			d.cached.Store(nil)
		}
	})
	return d
}

// Stored reads the settings of a document, without secrets, for whoever looks at the database without a panel. The time
// is that of the last change; where nothing was stored, it is zero and the value stays as it is.
func Stored(ctx context.Context, db *database.DB, name string, into any) (changed time.Time, err error) {
	var value json.RawMessage
	err = db.NewRaw("select value, updated_at from settings_documents where name = ?", name).Scan(ctx, &value, &changed)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	if err != nil {
		return changed, fmt.Errorf("read stored settings: %w", err)
	}
	return changed, json.Unmarshal(value, into)
}

// Get gives the document as it holds now. It is read from memory unless a transaction is open or news from other panels
// cannot be trusted at this moment.
func (d *Doc[T]) Get(ctx context.Context) (T, State, error) {
	remember := d.store.listener.Healthy() && !database.InTransaction(ctx)
	if remember {
		if hit := d.cached.Load(); hit != nil {
			return hit.value, hit.state, nil
		}
	}
	read, err := d.read(ctx, "")
	if err != nil {
		return d.defaults, State{}, err
	}
	if remember {
		d.remember(ctx, read)
	}
	return read.value, read.state, nil
}

// remember keeps what was read, unless the document was changed while it was read.
func (d *Doc[T]) remember(ctx context.Context, read *edition[T]) {
	d.cached.Store(read)
	var newest int64
	err := d.store.db.NewRaw("select coalesce(max(revision), 0) from settings_documents where name = ?", d.name).
		Scan(ctx, &newest)
	if err != nil || newest != read.state.Revision {
		d.cached.CompareAndSwap(read, nil)
	}
}

type documentRow struct {
	Revision  int64           `bun:"revision"`
	Value     json.RawMessage `bun:"value"`
	UpdatedAt time.Time       `bun:"updated_at"`
}

func (d *Doc[T]) read(ctx context.Context, lock string) (*edition[T], error) {
	var row documentRow
	err := d.store.db.In(ctx).NewRaw("select revision, value, updated_at from settings_documents where name = ?"+lock,
		d.name).Scan(ctx, &row)
	if errors.Is(err, sql.ErrNoRows) {
		return &edition[T]{value: d.defaults, state: State{Variables: d.variables}}, nil
	}
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the settings %s: %w", d.name, err), nil)
	}
	at := row.UpdatedAt.UTC()
	e := &edition[T]{value: d.defaults, state: State{Revision: row.Revision, Stored: true, UpdatedAt: &at}}
	if err := json.Unmarshal(row.Value, &e.value); err != nil {
		return nil, fmt.Errorf("read the settings %s: %w", d.name, err)
	}
	if e.state.Variables, err = d.holding(row.Value); err != nil {
		return nil, fmt.Errorf("read the settings %s: %w", d.name, err)
	}
	return e, d.unseal(ctx, &e.value)
}

type secretRow struct {
	Field  string `bun:"field"`
	Sealed string `bun:"sealed"`
}

// unseal replaces what the stored text says of secrets, which is nothing or stars, by the secrets themselves.
func (d *Doc[T]) unseal(ctx context.Context, value *T) error {
	fields := secrets(value)
	if len(fields) == 0 {
		return nil
	}
	var rows []secretRow
	err := d.store.db.In(ctx).NewRaw("select field, sealed from settings_secrets where document = ?", d.name).
		Scan(ctx, &rows)
	if err != nil {
		return database.Fault(fmt.Errorf("read the secrets of the settings %s: %w", d.name, err), nil)
	}
	for _, field := range fields {
		*field = Secret{}
	}
	for _, row := range rows {
		field := fields[row.Field]
		if field == nil {
			continue // a field of another version of the panel
		}
		plain, err := d.store.vault.Open(d.place(row.Field), row.Sealed)
		if err != nil {
			return fmt.Errorf("open the secret %s of the settings %s: %w", row.Field, d.name, err)
		}
		*field = NewSecret(string(plain))
	}
	return nil
}

func (d *Doc[T]) place(field string) vault.Ref {
	return vault.Ref{Table: "settings_secrets", ID: d.name + "/" + field, Column: "sealed"}
}

// Put replaces the document, if it is still at the revision; secrets that are not given stay, and where a field with a
// variable is empty, the variable holds. It takes part in the context's transaction. Faults: revision_conflict (409)
// and those of the document's check.
func (d *Doc[T]) Put(ctx context.Context, revision int64, value T) (stored T, state State, err error) {
	err = d.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := d.lock(ctx); err != nil {
			return err
		}
		before, err := d.read(ctx, " for update")
		if err != nil {
			return err
		}
		if before.state.Revision != revision {
			return fault.Conflict("revision_conflict",
				"somebody else changed these settings in the meantime; read them again and repeat the change").
				With("revision", before.state.Revision)
		}
		keepSecrets(&before.value, &value)
		unset := d.fill(&value)
		if d.check != nil {
			if err := d.check(&value); err != nil {
				return err
			}
		}
		stored = value
		state, err = d.write(ctx, before, &value, unset)
		return err
	})
	if err == nil {
		d.cached.Store(nil)
	}
	return stored, state, err
}

// lock lets one writer at a time look at a document that has no row yet.
func (d *Doc[T]) lock(ctx context.Context) error {
	_, err := d.store.db.In(ctx).ExecContext(ctx, "select pg_advisory_xact_lock(hashtextextended(?, 0))",
		"settings "+d.name)
	if err != nil {
		return database.Fault(fmt.Errorf("lock the settings %s: %w", d.name, err), nil)
	}
	return nil
}

func keepSecrets(before, next any) {
	stored := secrets(before)
	for path, field := range secrets(next) {
		if !field.given {
			*field = *stored[path]
		}
	}
}

func (d *Doc[T]) write(ctx context.Context, before *edition[T], value *T, unset []string) (State, error) {
	changes, err := differences(&before.value, value)
	if err != nil {
		return State{}, fmt.Errorf("compare the settings %s: %w", d.name, err)
	}
	text, err := without(value, unset)
	if err != nil {
		return State{}, fmt.Errorf("encode the settings %s: %w", d.name, err)
	}
	now := d.store.clock.Now().UTC().Truncate(time.Microsecond)
	state := State{Revision: before.state.Revision + 1, Stored: true, UpdatedAt: &now}
	if state.Variables, err = d.holding(text); err != nil {
		return State{}, fmt.Errorf("encode the settings %s: %w", d.name, err)
	}
	sourceChanges(changes, before.state.Variables, state.Variables)
	tx := d.store.db.In(ctx)
	_, err = tx.ExecContext(ctx, `insert into settings_documents (name, revision, value, updated_at) values (?, ?, ?, ?)
		on conflict (name) do update set revision = excluded.revision, value = excluded.value,
			updated_at = excluded.updated_at`, d.name, state.Revision, string(text), now)
	if err != nil {
		return State{}, database.Fault(fmt.Errorf("store the settings %s: %w", d.name, err), nil)
	}
	if err := d.seal(ctx, tx, value); err != nil {
		return State{}, err
	}
	return state, d.announce(ctx, tx, state, changes)
}

// announce writes the journal's line, emits the event and makes every panel read the document again.
func (d *Doc[T]) announce(ctx context.Context, tx bun.IDB, state State, changes map[string]audit.Change) error {
	entry := audit.Entry{
		Action: d.action, Object: audit.Object{Type: "settings", ID: d.name, Name: d.name},
		Changes: changes,
	}
	if err := d.store.journal.Record(ctx, tx, entry); err != nil {
		return err
	}
	err := d.store.bus.Emit(ctx, events.Event{
		Kind: d.action, SubjectID: d.name, At: *state.UpdatedAt, Data: Changed{Revision: state.Revision},
	})
	if err != nil {
		return err
	}
	return database.Notify(ctx, tx, channel, d.name)
}

func (d *Doc[T]) seal(ctx context.Context, tx bun.IDB, value *T) error {
	if _, err := tx.ExecContext(ctx, "delete from settings_secrets where document = ?", d.name); err != nil {
		return database.Fault(fmt.Errorf("store the secrets of the settings %s: %w", d.name, err), nil)
	}
	for path, field := range secrets(value) {
		if !field.Set() {
			continue
		}
		sealed := d.store.vault.Seal(d.place(path), []byte(field.Reveal()))
		_, err := tx.ExecContext(ctx, "insert into settings_secrets (document, field, sealed) values (?, ?, ?)", d.name,
			path, sealed)
		if err != nil {
			return database.Fault(fmt.Errorf("store the secrets of the settings %s: %w", d.name, err), nil)
		}
	}
	return nil
}
