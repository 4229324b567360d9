package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
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
	keepDays int
	said     time.Time    // when the head was last written to the log
	noted    atomic.Int64 // the number of the head that was noted last
	tended   atomic.Int64 // when everything was sealed last, in Unix milliseconds
}

// New makes the journal of this panel; it touches neither database nor disk yet.
func New(db *database.DB, clock clockwork.Clock, log *zap.Logger, cfg *config.Config) (*Store, error) {
	return &Store{
		db: db, clock: clock, log: log, secret: newSecret(db, cfg), denials: newDenials(),
		heads: &headFile{path: filepath.Join(cfg.DataDir(), "audit", "heads.json")}, keepDays: cfg.Int(config.AuditRetention),
	}, nil
}

// Load reads the journal's key before the first entry, so that no transaction has to. A key that cannot be opened keeps no
// panel from starting: entries are then written without their mark, and Verify says so.
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
	row.Mark = s.mark(ctx, row)
	if _, err := db.NewInsert().Model(&row).ExcludeColumn("seq", "hash_prev", "hash").Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("write the journal entry %s: %w", entry.Action, err), nil)
	}
	return nil
}

func (s *Store) row(caller access.Caller, entry Entry) (Row, error) {
	changes, err := json.Marshal(masked(entry.Changes))
	if err != nil {
		return Row{}, err
	}
	row := Row{
		ID: database.NewID(), At: s.now(), ActorKind: string(caller.Kind), ActorID: actor(caller), ActorName: caller.Username,
		Action: entry.Action, ObjectType: entry.Object.Type, ObjectID: entry.Object.ID, ObjectName: entry.Object.Name,
		Result: entry.Result, IP: caller.IP, UserAgent: caller.UserAgent, RequestID: caller.RequestID, Changes: string(changes), Count: 1,
	}
	if row.Result == "" {
		row.Result = OK
	}
	return row.cleaned(), nil
}

// mark proves that a panel wrote the entry. Without the journal's key, as on a command
// line that lacks the panel's settings, the entry is written all the same and Verify says so.
func (s *Store) mark(ctx context.Context, row Row) []byte {
	key, err := s.secret.key(ctx)
	if err != nil {
		s.log.Warn("a journal entry is written without its mark", zap.String("action", row.Action), access.Logged(ctx), zap.Error(err))
		return []byte{}
	}
	return row.markWith(key)
}

func (s *Store) now() time.Time { return s.clock.Now().UTC().Truncate(time.Microsecond) }

func actor(caller access.Caller) string {
	if caller.NodeID != "" {
		return caller.NodeID
	}
	return caller.AccountID
}
