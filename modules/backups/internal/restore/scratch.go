package restore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/pgtools"
)

// place is a scratch database.
type place struct {
	dsn     string
	private bool
	drop    func(context.Context)
}

// scratch makes a database beside the panel's own where its role may, else in a private PostgreSQL.
func scratch(ctx context.Context, r *run) (*place, error) {
	beside, refused := besides(ctx, r)
	if refused == nil {
		return beside, nil
	}
	alone, err := private(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("there is no scratch database: %w; and a private one does not start: %w", refused, err)
	}
	return alone, nil
}

var errNoRight = errors.New("the role of the panel may not create a database")

func besides(ctx context.Context, r *run) (*place, error) {
	if r.panel.DSN == "" {
		return nil, errors.New("no database server is set")
	}
	conn, err := database.Connect(ctx, r.panel.DSN)
	if err != nil {
		return nil, errors.New("the database server cannot be reached")
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var may bool
	err = conn.QueryRow(ctx, "select rolsuper or rolcreatedb from pg_roles where rolname = current_user").Scan(&may)
	if err != nil {
		return nil, fmt.Errorf("ask for the role's rights: %w", err)
	}
	if !may {
		return nil, errNoRight
	}
	if r.folder, err = pgtools.Find(ctx, r.panel.Programs, max(r.server, pgtools.Major(conn)), "pg_restore"); err != nil {
		return nil, err
	}
	return made(ctx, r, conn)
}

func made(ctx context.Context, r *run, conn *pgx.Conn) (*place, error) {
	random := make([]byte, 6)
	_, _ = rand.Read(random)
	name := "panel_verify_" + hex.EncodeToString(random)
	dsn, err := pgtools.Elsewhere(r.panel.DSN, name)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "create database "+name+" template template0"); err != nil {
		return nil, fmt.Errorf("create a scratch database: %w", err)
	}
	return &place{dsn: dsn, drop: func(ctx context.Context) { remove(ctx, r.panel.DSN, name) }}, nil
}

// remove is also called after a failure; a database that stays is named after what it was for.
func remove(ctx context.Context, dsn, name string) {
	conn, err := database.Connect(ctx, dsn)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close(ctx) }()
	_, _ = conn.Exec(ctx, "drop database if exists "+name+" with (force)")
}

// private starts a PostgreSQL for this one verification.
func private(ctx context.Context, r *run) (*place, error) {
	home, err := os.MkdirTemp(r.panel.Scratch, "panel-verify-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	dsn, stop, err := database.StartPrivate(ctx, database.PrivateOptions{
		DataDir: home, BinDir: r.panel.Programs, Log: zap.NewNop(),
		Settings: []string{"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off"},
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(home))
	}
	p := &place{dsn: dsn, private: true, drop: func(ctx context.Context) {
		_ = stop(ctx)
		_ = os.RemoveAll(home)
	}}
	if r.folder, err = pgtools.Find(ctx, r.panel.Programs, r.server, "pg_restore"); err != nil {
		p.drop(context.WithoutCancel(ctx))
		return nil, err
	}
	return p, nil
}
