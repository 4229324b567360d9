// Package database opens the panel's PostgreSQL, runs transactions and turns its errors into faults.
//
// One pgx pool is the base: bun works over it for everyday reads and writes, COPY and LISTEN use it directly.
// A private PostgreSQL for panels without a database server is in cluster.go.
package database

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// DB is the handle of everything: bun for queries, Pool for COPY, batches and listening.
type DB struct {
	*bun.DB
	Pool *pgxpool.Pool
}

// Options tune Open; the zero value is right for a command line tool.
type Options struct {
	MaxConns int             // 20 when zero
	Wait     time.Duration   // how long Open keeps trying a server that does not answer yet
	Name     string          // shown in pg_stat_activity
	Tracer   pgx.QueryTracer // sees every statement
}

const (
	usualConns  = 20
	dialTimeout = 5 * time.Second
)

// Open connects and checks that the server answers and is new enough.
// The error is one sentence that says what to correct; it never contains the password.
func Open(ctx context.Context, dsn string, opts Options) (*DB, error) {
	settings, err := poolSettings(dsn, opts)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, unreachable(settings, err)
	}
	if err := greet(ctx, pool, opts.Wait); err != nil {
		pool.Close()
		return nil, unreachable(settings, err)
	}
	readColumns()
	return &DB{DB: bun.NewDB(openSQL(pool), pgdialect.New()), Pool: pool}, nil
}

// Close ends bun's handle and the pool.
func (db *DB) Close() error {
	err := db.DB.Close()
	db.Pool.Close()
	return err
}

// NewID makes an id: a UUIDv7, so that ids sort by the time they were made.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// IsID reports whether the text can be an id; anything else in a path is simply not found.
func IsID(text string) bool {
	const length = 36
	_, err := uuid.Parse(text)
	return err == nil && len(text) == length
}

// OnlyIDs leaves out what cannot be an id, so that it is unknown and not an error of the database.
func OnlyIDs(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !IsID(text) })
}

func poolSettings(dsn string, opts Options) (*pgxpool.Config, error) {
	settings, err := pgxpool.ParseConfig(withoutHome(dsn))
	if err != nil {
		return nil, errors.New(
			"the database address cannot be read; PANEL_DB_URL must look like postgres://user:password@host:5432/name",
		)
	}
	settings.MaxConns = int32(max(opts.MaxConns, 0)) //nolint:gosec // a count of connections
	if settings.MaxConns == 0 {
		settings.MaxConns = usualConns
	}
	if settings.ConnConfig.ConnectTimeout == 0 {
		settings.ConnConfig.ConnectTimeout = dialTimeout
	}
	if opts.Name != "" {
		settings.ConnConfig.RuntimeParams["application_name"] = opts.Name
	}
	settings.ConnConfig.Tracer = opts.Tracer
	settings.AfterConnect = readTypes
	return settings, nil
}

// readTypes has moments read as UTC and JSON as bun's columns are.
func readTypes(_ context.Context, conn *pgx.Conn) error {
	types := conn.TypeMap()
	types.RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	types.RegisterType(&pgtype.Type{
		Name: "json", OID: pgtype.JSONOID, Codec: &pgtype.JSONCodec{
			Marshal:   json.Marshal,
			Unmarshal: columns{}.Unmarshal,
		},
	})
	types.RegisterType(&pgtype.Type{
		Name: "jsonb", OID: pgtype.JSONBOID, Codec: &pgtype.JSONBCodec{
			Marshal:   json.Marshal,
			Unmarshal: columns{}.Unmarshal,
		},
	})
	return nil
}

const (
	oldestServer = 150000
	retryPause   = 50 * time.Millisecond
)

func greet(ctx context.Context, pool *pgxpool.Pool, wait time.Duration) error {
	deadline := time.Now().Add(wait) //nolint:forbidigo // waiting for a real server
	for {
		err := askVersion(ctx, pool)
		if err == nil || !Unreachable(err) || time.Now().After(deadline) { //nolint:forbidigo // as above
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryPause):
		}
	}
}

func askVersion(ctx context.Context, pool *pgxpool.Pool) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var version int
	if err := pool.QueryRow(ctx, "select current_setting('server_version_num')::int").Scan(&version); err != nil {
		return err
	}
	if version < oldestServer {
		return fmt.Errorf("it is PostgreSQL %d, and the panel needs 15 or newer", version/10000)
	}
	return nil
}

func unreachable(settings *pgxpool.Config, err error) error {
	c := settings.ConnConfig
	where := fmt.Sprintf("%s:%d", c.Host, c.Port)
	if strings.HasPrefix(c.Host, "/") {
		where = c.Host
	}
	return fmt.Errorf("the database %q at %s cannot be used: %w; check PANEL_DB_URL and that the server runs",
		c.Database, where, &reason{text: shortReason(err), err: err})
}

// reason shows a short text and still lets errors.As find the whole error.
type reason struct {
	text string
	err  error
}

func (r *reason) Error() string { return r.text }
func (r *reason) Unwrap() error { return r.err }

func shortReason(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Message
	}
	var network *net.OpError
	if errors.As(err, &network) {
		return network.Err.Error()
	}
	var name *net.DNSError
	if errors.As(err, &name) {
		return "the name " + name.Name + " is not known"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) {
		return "no connection"
	}
	return err.Error()
}
