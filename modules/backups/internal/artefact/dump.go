package artefact

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/platform/database"
	"panel/platform/pgtools"
)

// database dumps one moment: pg_dump reads the snapshot that the counts and checksums are taken from.
func (c *creation) database(ctx context.Context) error {
	conn, err := database.Connect(ctx, c.from.DSN)
	if err != nil {
		return errors.New("the panel's database cannot be reached")
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	c.manifest.Server = pgtools.Major(conn)
	folder, err := pgtools.Find(ctx, c.from.Programs, c.manifest.Server, "pg_dump", "pg_restore")
	if err != nil {
		return err
	}
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, conn, snapshot, func(tx pgx.Tx) error { return c.dump(ctx, tx, folder) })
}

func (c *creation) dump(ctx context.Context, tx pgx.Tx, folder string) error {
	c.note(Progress{Step: "dumping", Entry: Database})
	var snapshot string
	if err := tx.QueryRow(ctx, "select pg_export_snapshot()").Scan(&snapshot); err != nil {
		return fmt.Errorf("keep a moment of the database: %w", err)
	}
	if err := c.describe(ctx, tx); err != nil {
		return err
	}
	args := []string{"--format=custom", "--compress=0", "--snapshot=" + snapshot}
	for _, table := range c.manifest.Tables {
		if table.Empty {
			args = append(args, "--exclude-table-data="+quoted(table.Name))
		}
	}
	program := pgtools.Program{
		Folder: folder, Name: "pg_dump", DSN: c.from.DSN, Args: args, Behind: true, Application: "panel-backup-" + rand.Text(),
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	behind := make(chan error, 1)
	go func() {
		pgtools.BackendBehind(tx.Conn().PgConn().PID())
		err := pgtools.SessionsBehind(ctx, tx, program.Application)
		if err != nil {
			cancel(err)
		}
		behind <- err
	}()
	err := c.entry(ctx, Database, func(p *packer) error {
		into := &noticing{to: p}
		program.Out = into
		return into.after(program.Run(ctx))
	})
	first := context.Cause(ctx)
	if err != nil {
		cancel(err)
	}
	looked := <-behind
	switch {
	case err != nil:
		return cmp.Or(first, err)
	case looked != nil:
		return looked
	}
	// After the dump and not beside it: with two cores one stays free for those who wait for the panel.
	return countBehind(ctx, tx, c.manifest.Tables)
}

// countBehind counts in the one session that yields: helpers that the server would start for it do not.
func countBehind(ctx context.Context, tx pgx.Tx, all []Table) error {
	if _, err := tx.Exec(ctx, "set local max_parallel_workers_per_gather = 0"); err != nil {
		return fmt.Errorf("prepare to count rows: %w", err)
	}
	return Count(ctx, tx, all)
}

// noticing remembers why it could take no more: the program that writes into it only sees a broken pipe.
type noticing struct {
	to     io.Writer
	failed error
}

// Write hands on.
func (n *noticing) Write(data []byte) (int, error) {
	written, err := n.to.Write(data)
	if err != nil && n.failed == nil {
		n.failed = err
	}
	return written, err
}

func (n *noticing) after(ended error) error {
	if n.failed != nil {
		return n.failed
	}
	return ended
}

// describe notes the schema and the tables of the moment.
func (c *creation) describe(ctx context.Context, tx pgx.Tx) (err error) {
	if c.manifest.Schema, err = Steps(ctx, tx); err != nil {
		return err
	}
	c.manifest.SchemaSum = schemaSum(c.manifest.Schema)
	c.manifest.Tables, err = tables(ctx, tx, c.manifest.Telemetry)
	return err
}

// Steps are the applied migrations of a database, in order.
func Steps(ctx context.Context, tx pgx.Tx) ([]string, error) {
	rows, err := tx.Query(ctx, "select name from bun_migrations order by name")
	if err != nil {
		return nil, fmt.Errorf("read the applied migrations: %w", err)
	}
	steps, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read the applied migrations: %w", err)
	}
	return steps, nil
}

// schemaSum is the stamp of the newest step, for people, and a digest of all.
func schemaSum(steps []string) string {
	newest := ""
	for _, step := range steps {
		stamp, _, _ := strings.Cut(step, "_")
		newest = max(newest, stamp)
	}
	sum := sha256.Sum256([]byte(strings.Join(steps, "\n")))
	return newest + "-" + hex.EncodeToString(sum[:4])
}

const largestSettings = 16 << 20

// tarOf keeps files under their whole paths without the first slash. One that is not there is left out.
func tarOf(files []string, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the settings for the backup: %w", err)
		}
		if out.Len()+len(content) > largestSettings {
			return nil, fmt.Errorf("keep %s in the backup: the files of settings are too large", file)
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), "/")
		err = writer.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content)), ModTime: at})
		if err == nil {
			_, err = writer.Write(content)
		}
		if err != nil {
			return nil, fmt.Errorf("keep the settings in the backup: %w", err)
		}
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("keep the settings in the backup: %w", err)
	}
	return out.Bytes(), nil
}
