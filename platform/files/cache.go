package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/durable"
)

// cache has copies on this panel's disk. Each is named by its digest and is whole: it gets its name when it was
// compared.
type cache struct {
	folder string
	log    *zap.Logger

	mu      sync.Mutex
	filling map[string]*filling
}

// filling is a copy on its way; who else needs it waits.
type filling struct {
	done chan struct{}
	err  error
}

func (c *cache) path(sum string) string { return filepath.Join(c.folder, sum) }

// open gives the copy, which is brought from the database when it is not there.
func (c *cache) open(ctx context.Context, from *Store, f File) (*os.File, error) {
	if file, err := c.whole(f); err == nil {
		return file, nil
	}
	if err := c.fill(ctx, from, f); err != nil {
		return nil, err
	}
	return c.whole(f)
}

// whole opens a copy of the right size; a damaged one of another size counts as none.
func (c *cache) whole(f File) (*os.File, error) {
	file, err := os.Open(c.path(f.SHA256))
	if err != nil {
		return nil, err
	}
	about, err := file.Stat()
	if err == nil && about.Size() == f.Size {
		return file, nil
	}
	_ = file.Close()
	return nil, errors.Join(ErrDamaged, err)
}

// fill brings a copy once, however many need it at the same time.
func (c *cache) fill(ctx context.Context, from *Store, f File) error {
	c.mu.Lock()
	running := c.filling[f.SHA256]
	if running != nil {
		c.mu.Unlock()
		select {
		case <-running.done:
			return running.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	running = &filling{done: make(chan struct{})}
	c.filling[f.SHA256] = running
	c.mu.Unlock()
	running.err = c.bring(ctx, from, f)
	if running.err != nil && ctx.Err() == nil {
		c.log.Warn("a file could not be copied to this panel's disk; it is served from the database",
			zap.String("sha256", f.SHA256), zap.Error(running.err))
	}
	c.mu.Lock()
	delete(c.filling, f.SHA256)
	c.mu.Unlock()
	close(running.done)
	return running.err
}

func (c *cache) bring(ctx context.Context, from *Store, f File) error {
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of files: %w", err)
	}
	c.sweep(ctx, from)
	return durable.Replace(c.path(f.SHA256), 0o600, func(file *os.File) error {
		sum := sha256.New()
		size, err := io.Copy(io.MultiWriter(file, sum), from.stream(ctx, f))
		if err != nil {
			return err
		}
		if size != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
			return ErrDamaged
		}
		return nil
	})
}

// sweep removes copies of files that are not stored any more.
func (c *cache) sweep(ctx context.Context, from *Store) {
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return
	}
	var sums, gone []string
	for _, e := range entries {
		if digest().MatchString(e.Name()) {
			sums = append(sums, e.Name())
		}
	}
	err = from.db.In(ctx).
		NewRaw(`select s from unnest(?::text[]) s where not exists (select from files where sha256 = s)`,
			pgdialect.Array(sums)).Scan(ctx, &gone)
	if err != nil {
		c.log.Info("old copies of files could not be found", zap.Error(database.Fault(err, nil)))
	}
	for _, sum := range gone {
		_ = os.Remove(c.path(sum))
	}
}
