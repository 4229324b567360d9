package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/config"
	"panel/platform/database"
)

// Store is the Journal in the database. Run seals what was recorded into the chain.
type Store struct {
	db       *database.DB
	clock    clockwork.Clock
	log      *zap.Logger
	kinds    *Kinds // what may be recorded; nil for everything
	secret   *secret
	denials  *denials
	heads    *headFile
	numbers  *numbers
	lived    lived
	tending  sync.Mutex
	keepDays int
	looked   time.Time    // when witnesses of dead processes were looked for
	said     time.Time    // when the head was last written to the log
	noted    atomic.Int64 // the number of the head that was noted last
	tended   atomic.Int64 // when everything was sealed last, in Unix milliseconds
}

// New makes the journal of this panel; it touches neither database nor disk yet.
func New(db *database.DB, clock clockwork.Clock, log *zap.Logger, cfg *config.Config) (*Store, error) {
	return &Store{
		db: db, clock: clock, log: log, secret: newSecret(db, cfg), denials: newDenials(),
		heads: &headFile{data: cfg.DataDir()}, keepDays: cfg.Int(config.AuditRetention),
		numbers: newNumbers(cfg.DataDir(), log),
	}, nil
}

// Load reads the journal's key before the first entry, so that no transaction has to. A key that cannot be opened
// keeps no panel from starting: entries are then written without their mark, and Verify says so.
func (s *Store) Load(ctx context.Context) error {
	if _, err := s.secret.key(ctx); err != nil {
		s.log.Warn("the journal's key cannot be opened; entries get no mark", zap.Error(err))
	}
	return nil
}

// Record writes the entry with db; the actor, address and request id are the context's.
func (s *Store) Record(ctx context.Context, db bun.IDB, entry Entry) error {
	if err := s.declared(entry); err != nil {
		return err
	}
	row, err := s.row(access.From(ctx), entry)
	if err != nil {
		return fmt.Errorf("encode the journal entry %s: %w", entry.Action, err)
	}
	if err := s.insert(ctx, db, []Row{row}); err != nil {
		return database.Fault(fmt.Errorf("write the journal entry %s: %w", entry.Action, err), nil)
	}
	return nil
}

// insert writes the rows in one transaction, so that their numbers can be given back when it is undone.
func (s *Store) insert(ctx context.Context, db bun.IDB, rows []Row) error {
	if tx, is := db.(bun.Tx); is {
		return s.insertIn(ctx, tx, rows)
	}
	return s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error { return s.insertIn(ctx, tx, rows) })
}

// transaction is the one that inserted a row, also inside a savepoint, with the half that the database counts beside
// it.
const transaction = `pg_catalog.pg_current_xact_id()::text::bigint
	+ ((xmin::text::bigint - pg_catalog.pg_current_xact_id()::text::bigint) & 4294967295)`

func (s *Store) insertIn(ctx context.Context, tx bun.Tx, rows []Row) error {
	numbered := s.mark(ctx, rows)
	var in []int64
	_, err := tx.NewInsert().Model(&rows).ExcludeColumn("seq", "hash_prev", "hash").Returning(transaction).
		Exec(ctx, &in)
	switch {
	case !numbered:
	case err != nil || len(in) == 0:
		s.numbers.refused(rows)
	default:
		s.numbers.inserted(rows, in[0])
	}
	return err
}

func (s *Store) row(caller access.Caller, entry Entry) (Row, error) {
	changes, err := json.Marshal(masked(entry.Changes))
	if err != nil {
		return Row{}, err
	}
	row := Row{
		ID: database.NewID(), At: s.now(), Action: entry.Action,
		ActorKind: string(caller.Kind), ActorID: actor(caller), ActorName: caller.Name(),
		ObjectType: entry.Object.Type, ObjectID: entry.Object.ID, ObjectName: entry.Object.Name,
		Result: entry.Result, IP: caller.IP, UserAgent: caller.UserAgent, RequestID: caller.RequestID,
		Changes: string(changes), Count: 1,
	}
	if row.Result == "" {
		row.Result = OK
	}
	return row.cleaned(), nil
}

// mark numbers the rows and proves that a panel wrote them. Without the journal's key, as on a command line that lacks
// the panel's settings, they are written all the same and Verify says so.
func (s *Store) mark(ctx context.Context, rows []Row) bool {
	key, err := s.secret.key(ctx)
	if err != nil {
		s.log.Warn("a journal entry is written without its mark", zap.String("action", rows[0].Action),
			access.Logged(ctx),
			zap.Error(err))
		for i := range rows {
			rows[i].Mark = []byte{}
		}
		return false
	}
	s.numbers.take(rows, s.now())
	for i := range rows {
		rows[i].Mark = rows[i].markWith(key)
	}
	return true
}

func (s *Store) now() time.Time { return s.clock.Now().UTC().Truncate(time.Microsecond) }

func actor(caller access.Caller) string {
	if caller.NodeID != "" {
		return caller.NodeID
	}
	return caller.AccountID
}
