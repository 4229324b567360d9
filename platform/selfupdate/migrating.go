package selfupdate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"panel/platform/config"
	"panel/platform/database"
)

// atWork finds a panel that holds the lock of the migrations ($1) and whose statements go on. One that waits for
// somebody else's lock, or holds a transaction open and does nothing, is not at work.
const atWork = `select exists (
    select from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and (l.classid::bigint << 32) + l.objid::bigint = $1)
  and exists (
    select from pg_stat_activity a
    where a.datname = current_database() and a.application_name = 'panel' and a.pid <> pg_backend_pid()
      and (a.state = 'active' and a.wait_event_type is distinct from 'Lock'
        or a.state = 'idle in transaction' and a.state_change > now() - interval '5 seconds'))`

// migrationLock is the advisory lock of the package migrations; a test runs both together.
const migrationLock = 7203120410

const glanceWithin = 5 * time.Second

// migrating tells whether a panel that starts works on the database. It only looks: a private database that does not
// run is not started, because the starting panel does that itself.
func migrating(ctx context.Context, cfg *config.Config) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, glanceWithin)
	defer cancel()
	dsn := cfg.Secret(config.DBURL).Reveal()
	if dsn == "" {
		var err error
		if dsn, err = database.PrivateDSN(cfg.DataDir()); err != nil {
			return false, err
		}
	}
	conn, err := database.Connect(ctx, dsn)
	if err != nil {
		return false, errors.New("the database cannot be reached")
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var at bool
	if err := conn.QueryRow(ctx, atWork, migrationLock).Scan(&at); err != nil {
		return false, fmt.Errorf("look at the sessions of the database: %w", err)
	}
	return at, nil
}

// Migrating asks as the panel's user; what cannot be asked counts as no.
func (m *machine) Migrating(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*glanceWithin)
	defer cancel()
	var out bytes.Buffer
	err := m.database(ctx, "migrating", nil, &out)
	return err == nil && strings.TrimSpace(out.String()) == "true"
}
