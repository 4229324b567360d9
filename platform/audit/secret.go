package audit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/vault"
)

// secret is the journal's key: one for all panels on a database, sealed with the master
// key, so that whoever holds the database alone can prove nothing with it.
type secret struct {
	db  *database.DB
	cfg *config.Config

	mu     sync.Mutex
	loaded []byte
}

func newSecret(db *database.DB, cfg *config.Config) *secret { return &secret{db: db, cfg: cfg} }

var errNoMasterKey = errors.New("the master key is not known here, so the journal's key cannot be opened; set PANEL_SECRET_KEY or PANEL_DATA_DIR as the panel has them")

func (s *secret) key(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded != nil {
		return s.loaded, nil
	}
	safe, err := s.vault()
	if err != nil {
		return nil, err
	}
	key, fresh, err := s.load(ctx, safe)
	if err == nil && (!fresh || !database.InTransaction(ctx)) { // a key of a transaction that is undone never was
		s.loaded = key
	}
	return key, err
}

// vault never makes a master key: a tool that is started elsewhere has none.
func (s *secret) vault() (*vault.Vault, error) {
	if !s.cfg.Given(config.SecretKey) {
		if _, err := os.Stat(filepath.Join(s.cfg.DataDir(), "secret.key")); err != nil {
			return nil, errNoMasterKey
		}
	}
	master, _, err := vault.MasterKey(s.cfg.Secret(config.SecretKey).Reveal(), s.cfg.DataDir())
	if err != nil {
		return nil, err
	}
	return vault.New(master, s.cfg.Secret(config.SecretKeyPrevious).List()...)
}

type sealedKey struct {
	ID     string `bun:"id"`
	Sealed string `bun:"sealed"`
}

func (k sealedKey) place() vault.Ref {
	return vault.Ref{Table: "journal_keys", ID: k.ID, Column: "sealed"}
}

// load makes the one key first, when this is the first start on the database. It takes part in the context's
// transaction: a second connection beside it would wait for ever once all of them are in use.
func (s *secret) load(ctx context.Context, safe *vault.Vault) (key []byte, fresh bool, err error) {
	if fresh, err = s.ensure(ctx, safe); err != nil {
		return nil, false, err
	}
	k, key, err := s.open(ctx, safe)
	if err != nil {
		return nil, false, err
	}
	return key, fresh, s.renew(ctx, safe, k, key)
}

// known opens the key that is there, and changes nothing.
func (s *secret) known(ctx context.Context) ([]byte, error) {
	safe, err := s.vault()
	if err != nil {
		return nil, err
	}
	_, key, err := s.open(ctx, safe)
	return key, err
}

func (s *secret) open(ctx context.Context, safe *vault.Vault) (k sealedKey, key []byte, err error) {
	if err := s.db.In(ctx).NewRaw("select id, sealed from journal_keys").Scan(ctx, &k.ID, &k.Sealed); err != nil {
		return k, nil, fmt.Errorf("reading the journal's key: %w", err)
	}
	if key, err = safe.Open(k.place(), k.Sealed); err != nil {
		return k, nil, fmt.Errorf("opening the journal's key: %w", err)
	}
	return k, key, nil
}

// ensure reports whether it has made the key.
func (s *secret) ensure(ctx context.Context, safe *vault.Vault) (fresh bool, err error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random)
	k := sealedKey{ID: database.NewID()}
	k.Sealed = safe.Seal(k.place(), random)
	made, err := s.db.In(ctx).ExecContext(ctx,
		"insert into journal_keys (id, sealed) values (?, ?) on conflict do nothing", k.ID, k.Sealed)
	if err != nil {
		return false, fmt.Errorf("making the journal's key: %w", err)
	}
	n, err := made.RowsAffected()
	return n > 0, err
}

// renew seals the key anew after the master key was changed.
func (s *secret) renew(ctx context.Context, safe *vault.Vault, k sealedKey, key []byte) error {
	if !safe.Stale(k.Sealed) {
		return nil
	}
	_, err := s.db.In(ctx).ExecContext(ctx, "update journal_keys set sealed = ? where id = ?",
		safe.Seal(k.place(), key), k.ID)
	if err != nil {
		return fmt.Errorf("sealing the journal's key anew: %w", err)
	}
	return nil
}
