// Package migrations brings the database to the form that this version of the panel needs.
//
// Each module brings its own steps; this package owns their order, the lock and the platform's own tables.
// Steps only go forward. It imports nothing else of the panel, so that everything may use it.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/migrate"
)

// Set is one owner's steps: files named <stamp>_<what>.tx.up.sql, anywhere in FS.
type Set struct {
	Name string
	FS   fs.FS
}

//go:embed platform/*.sql
var platform embed.FS

// Platform is the set of tables that belong to no module. Run adds it by itself.
func Platform() Set { return Set{Name: "platform", FS: platform} }

// lockKey is the advisory lock that lets one starter work at a time; the server gives it back when that starter dies.
const lockKey = 7203120410

// Run applies every step that is not applied yet, in the order of the stamps, and returns after the last one.
// Several starters may call it at once: each step is applied once. A failing step leaves nothing behind and is not
// recorded.
func Run(ctx context.Context, db *sql.DB, sets []Set) error {
	_, err := Apply(ctx, db, sets)
	return err
}

// Apply does what Run does and names the steps that this call applied.
func Apply(ctx context.Context, db *sql.DB, sets []Set) (applied []string, err error) {
	steps, err := collect(sets)
	if err != nil {
		return nil, err
	}
	lock, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to migrate the database: %w", err)
	}
	defer func() { _ = lock.Close() }()
	if _, err := lock.ExecContext(ctx, "select pg_advisory_lock($1)", lockKey); err != nil {
		return nil, fmt.Errorf("waiting for another migration of the database: %w", err)
	}
	defer unlock(context.WithoutCancel(ctx), lock)
	return apply(ctx, db, steps)
}

func unlock(ctx context.Context, lock *sql.Conn) {
	_, _ = lock.ExecContext(ctx, "select pg_advisory_unlock($1)", lockKey)
}

func apply(ctx context.Context, db *sql.DB, steps *migrate.Migrations) (applied []string, err error) {
	migrator := migrate.NewMigrator(bun.NewDB(db, pgdialect.New()), steps,
		migrate.WithMarkAppliedOnSuccess(true), migrate.WithUpsert(true), migrate.AfterMigration(record))
	if err := migrator.Init(ctx); err != nil {
		return nil, fmt.Errorf("preparing to migrate the database: %w", withRights(ctx, db, err))
	}
	if err := refuseLateSteps(ctx, migrator); err != nil {
		return nil, err
	}
	done, err := migrator.Migrate(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrating the database: %w", withRights(ctx, db, err))
	}
	for _, step := range done.Migrations {
		applied = append(applied, step.Name)
	}
	return applied, nil
}

// record notes the step in its own transaction, so that a kill between the step and bun's note cannot apply it twice.
func record(ctx context.Context, db bun.IConn, step *migrate.Migration) error {
	_, err := db.ExecContext(ctx,
		"insert into bun_migrations (name, group_id) values (?, ?) on conflict (name) do nothing",
		step.Name, step.GroupID)
	return err
}

// refuseLateSteps stops when a set gained a step with an older stamp than one it has already applied:
// a new database would take the two in another order than this one.
func refuseLateSteps(ctx context.Context, migrator *migrate.Migrator) error {
	steps, err := migrator.MigrationsWithStatus(ctx)
	if err != nil {
		return fmt.Errorf("reading what is already migrated: %w", err)
	}
	newest := map[string]string{}
	for _, step := range steps.Applied() {
		stamp, set, _ := strings.Cut(step.Name, "_")
		newest[set] = max(newest[set], stamp)
	}
	for _, step := range steps.Unapplied() {
		if stamp, set, _ := strings.Cut(step.Name, "_"); stamp < newest[set] {
			return fmt.Errorf("the migration %s is older than one of %s that this database already has; give it a newer stamp", step.Name, set)
		}
	}
	return nil
}

// collect discovers each set apart: two sets may use the same stamp without overwriting each other.
func collect(sets []Set) (*migrate.Migrations, error) {
	all := migrate.NewMigrations()
	for _, set := range append([]Set{Platform()}, sets...) {
		if set.FS == nil {
			continue
		}
		if err := Check(set); err != nil {
			return nil, err
		}
		own := migrate.NewMigrations()
		if err := own.Discover(set.FS); err != nil {
			return nil, fmt.Errorf("reading the migrations of %s: %w", set.Name, err)
		}
		for _, step := range own.Sorted() {
			step.Name += "_" + set.Name
			all.Add(step)
		}
	}
	return all, nil
}

// Check refuses file names that would be applied in another way than meant: only steps in a transaction, going forward,
// each with a stamp of 14 digits of its own.
func Check(set Set) error {
	stamps := map[string]bool{}
	return fs.WalkDir(set.FS, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		stamp, _, _ := strings.Cut(entry.Name(), "_")
		switch {
		case !strings.HasSuffix(path, ".tx.up.sql"):
			return fmt.Errorf("the migration %s of %s must end in .tx.up.sql", entry.Name(), set.Name)
		case len(stamp) != len("20260301090000"):
			return fmt.Errorf("the migration %s of %s must begin with a stamp of 14 digits", entry.Name(), set.Name)
		case stamps[stamp]:
			return fmt.Errorf("the stamp %s is used twice by %s", stamp, set.Name)
		}
		stamps[stamp] = true
		return nil
	})
}

// Names lists the steps of a set as they are recorded, in order.
func Names(set Set) ([]string, error) {
	own := migrate.NewMigrations()
	if err := own.Discover(set.FS); err != nil {
		return nil, fmt.Errorf("reading the migrations of %s: %w", set.Name, err)
	}
	var names []string
	for _, step := range own.Sorted() {
		names = append(names, step.Name+"_"+set.Name)
	}
	return names, nil
}
