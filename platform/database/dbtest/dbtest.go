// Package dbtest gives each test a PostgreSQL database of its own, already migrated.
//
// All packages of a test run share one private cluster, in memory where there is plenty of it; it is stopped and
// removed a few seconds after the last test process has ended. PANEL_TEST_DB_URL names a server to use instead.
package dbtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/migrations"
	"panel/platform/database"
)

// oddZone is the time zone of every test database: code that forgets about zones is off by an odd offset.
const oddZone = "Asia/Kathmandu"

// New gives a database with the platform's tables and those of the sets; it is dropped when the test ends. The test
// fails if a query goes to the pool while its context holds a transaction.
func New(t testing.TB, sets ...migrations.Set) *database.DB {
	t.Helper()
	return open(t, untraced{}, sets)
}

func open(t testing.TB, tracer pgx.QueryTracer, sets []migrations.Set) *database.DB {
	t.Helper()
	dsn := DSN(t, sets...)
	db, err := database.Open(t.Context(), dsn, database.Options{MaxConns: 12, Tracer: guarded(t, tracer)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// DSN is New for a test that opens the database itself, for example in another process.
func DSN(t testing.TB, sets ...migrations.Set) string {
	t.Helper()
	admin, err := server()
	require.NoError(t, err)
	template, err := admin.template(t.Context(), sets)
	require.NoError(t, err)
	return clone(t, admin, template)
}

// Empty gives the address of a database without any table.
func Empty(t testing.TB) string {
	t.Helper()
	admin, err := server()
	require.NoError(t, err)
	return clone(t, admin, "template0")
}

func clone(t testing.TB, admin cluster, template string) string {
	name := "test_" + shortID()
	require.NoError(t, admin.run(t.Context(), "create database "+name+" template "+template))
	t.Cleanup(func() {
		require.NoError(t, admin.run(context.Background(), "drop database if exists "+name+" with (force)"))
	})
	return admin.dsn(name, oddZone)
}

// cluster is the address of the server that the tests share.
type cluster struct{ url *url.URL }

func (c cluster) dsn(name, zone string) string {
	address := *c.url
	address.Path = "/" + name
	query := address.Query()
	if zone != "" {
		query.Set("timezone", zone)
	}
	address.RawQuery = query.Encode()
	return address.String()
}

func (c cluster) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, c.url.String())
	if err != nil {
		return nil, fmt.Errorf("connecting to the test database server: %w", err)
	}
	return conn, nil
}

func (c cluster) run(ctx context.Context, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, statement)
	return err
}

// template makes the migrated database that tests clone, once for each distinct set of migrations.
func (c cluster) template(ctx context.Context, sets []migrations.Set) (string, error) {
	sum, err := fingerprint(sets)
	if err != nil {
		return "", err
	}
	name := "template_" + sum
	conn, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "select pg_advisory_lock(hashtext($1))", name); err != nil {
		return "", err
	}
	var there bool
	err = conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", name).Scan(&there)
	if err != nil || there {
		return name, err
	}
	return name, c.makeTemplate(ctx, conn, name, sets)
}

func (c cluster) makeTemplate(ctx context.Context, conn *pgx.Conn, name string, sets []migrations.Set) error {
	building := "building_" + shortID()
	if _, err := conn.Exec(ctx, "create database "+building+" template template0"); err != nil {
		return err
	}
	db, err := database.Open(ctx, c.dsn(building, oddZone), database.Options{MaxConns: 4})
	if err != nil {
		return err
	}
	err = migrations.Run(ctx, db.DB.DB, sets)
	if closing := db.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_, _ = conn.Exec(ctx, "drop database "+building+" with (force)")
		return err
	}
	_, err = conn.Exec(ctx, "alter database "+building+" rename to "+name)
	return err
}

func fingerprint(sets []migrations.Set) (string, error) {
	hash := sha256.New()
	for _, set := range append([]migrations.Set{migrations.Platform()}, sets...) {
		_, _ = fmt.Fprintf(hash, "set %s\n", set.Name)
		if set.FS == nil {
			continue
		}
		err := fs.WalkDir(set.FS, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(set.FS, path)
			_, _ = fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("reading the migrations of %s: %w", set.Name, err)
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}

func shortID() string {
	sum := sha256.Sum256([]byte(database.NewID()))
	return hex.EncodeToString(sum[:8])
}
