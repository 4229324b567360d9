package selfupdate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/zap"

	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/pgtools"
)

// connection is an open panel database.
type connection struct {
	conn *pgx.Conn
	dsn  string
	stop func(context.Context) error
	// patience is how long a restore waits for the sessions of a panel that was just killed in the middle of a
	// statement.
	patience time.Duration
}

// killedWithin leaves the rest of a minute to the restore.
const killedWithin = 10 * time.Second

// connect opens PANEL_DB_URL, or brings up the private database of a stopped panel.
func connect(ctx context.Context, cfg *config.Config) (*connection, error) {
	c := &connection{
		patience: killedWithin,
		dsn:      cfg.Secret(config.DBURL).Reveal(),
		stop:     func(context.Context) error { return nil },
	}
	var err error
	if c.dsn == "" {
		c.dsn, c.stop, err = database.StartPrivate(
			ctx,
			database.PrivateOptions{DataDir: cfg.DataDir(), BinDir: cfg.String(config.PGBin), Log: zap.NewNop()},
		)
		if err != nil {
			return nil, fmt.Errorf("start the private database: %w", err)
		}
	}
	c.conn, err = database.Connect(ctx, c.dsn)
	if err != nil {
		return nil, errors.Join(errors.New("the database cannot be reached"), c.stop(context.WithoutCancel(ctx)))
	}
	return c, nil
}

func (c *connection) close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return errors.Join(c.conn.Close(ctx), c.stop(ctx))
}

// schema is the fingerprint of the applied migrations: two panels with the same one use the same tables.
func (c *connection) schema(ctx context.Context) (string, error) {
	rows, err := c.conn.Query(ctx, "select name from bun_migrations order by name")
	if err != nil {
		return "", fmt.Errorf("read the applied migrations: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", fmt.Errorf("read the applied migrations: %w", err)
	}
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return hex.EncodeToString(sum[:]), nil
}

// dump writes the whole database as SQL.
func (c *connection) dump(ctx context.Context, given string, out io.Writer) error {
	return c.run(ctx, given, "pg_dump", nil, out)
}

// restore replaces everything in one transaction: a restore that is interrupted has changed nothing.
func (c *connection) restore(ctx context.Context, given string, from io.Reader) error {
	if err := pgtools.Alone(ctx, c.conn, c.patience); err != nil {
		return err
	}
	return c.run(ctx, given, "psql", io.MultiReader(strings.NewReader(pgtools.Wipe), from), io.Discard,
		"--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--file=-")
}

func (c *connection) run(
	ctx context.Context,
	given, program string,
	in io.Reader,
	out io.Writer,
	args ...string,
) error {
	folder, err := postgresPrograms(ctx, given, pgtools.Major(c.conn))
	if err != nil {
		return err
	}
	return pgtools.Program{Folder: folder, Name: program, DSN: c.dsn, Args: args, In: in, Out: out}.Run(ctx)
}

// postgresPrograms finds pg_dump and psql of the server's version or a newer one.
func postgresPrograms(ctx context.Context, given string, server int) (string, error) {
	return pgtools.Find(ctx, given, server, "pg_dump", "psql")
}
