package selfupdate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"panel/platform/durable"
)

// set is database, executables and settings of one moment, kept together in a folder of root. Its description is
// written last: a folder without one is a set that was never finished.
type set struct {
	Run     string            `json:"run"` // that made it
	Version string            `json:"version"`
	Next    string            `json:"next"` // the version that was installed over it
	TakenAt time.Time         `json:"taken_at"`
	Schema  string            `json:"schema"` // fingerprint of the applied migrations
	Sums    map[string]string `json:"sums"`
	Beside  []string          `json:"beside,omitempty"` // files that the next version brought beside its executable
	Changed bool              `json:"changed"`          // the next version changed the schema: the way back restores the database
}

// Files of a set. The journal's heads belong to the database: a newer head would contradict an older journal.
const (
	setBinary   = "panelctl"
	setSettings = "panel.env"
	setDatabase = "database.sql"
	setHeads    = "heads.json"
	setFile     = "set.json"

	headsInData = "audit/heads.json"
	openInData  = "audit/open"
)

// keepFor is how long the way back stays open after an update.
const keepFor = 7 * 24 * time.Hour

var errSet = errors.New("the kept set is damaged")

// save stops the panel, also one that a power failure started again, and makes the set of it.
func (e *Engine) save(ctx context.Context, of set) error {
	if err := e.Host.Stop(ctx); err != nil {
		return err
	}
	return e.take(ctx, e.Paths.set(), of)
}

// take makes a set in folder. The panel may run: the heads of its journal are then older than the dump, never newer.
func (e *Engine) take(ctx context.Context, folder string, of set) error {
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("make room for the set: %w", err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of the set: %w", err)
	}
	var err error
	if of.Schema, err = e.Host.Schema(ctx); err != nil {
		return fmt.Errorf("read the schema of the database: %w", err)
	}
	if err := e.copyHeads(filepath.Join(folder, setHeads)); err != nil {
		return err
	}
	if err := e.Host.Dump(ctx, filepath.Join(folder, setDatabase)); err != nil {
		return fmt.Errorf("dump the database: %w", err)
	}
	if of.Sums, err = e.copyFiles(folder); err != nil {
		return err
	}
	if err := e.keepBeside(folder, of.Beside, of.Sums); err != nil {
		return err
	}
	return describe(folder, of)
}

func (e *Engine) copyFiles(folder string) (map[string]string, error) {
	sums := map[string]string{}
	for name, from := range map[string]string{setBinary: e.Paths.Binary, setSettings: e.Paths.Settings} {
		sum, err := copyWhole(from, filepath.Join(folder, name), 0o600)
		if err != nil {
			return nil, err
		}
		sums[name] = sum
	}
	for _, name := range []string{setDatabase, setHeads} {
		sum, err := sumOf(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) && name == setHeads {
			continue
		}
		if err != nil {
			return nil, err
		}
		sums[name] = sum
	}
	return sums, nil
}

// longestHeads is far more than the journal keeps.
const longestHeads = 8 << 20

// copyHeads reads inside the panel's own folder and follows no link out of it. A panel may have no heads yet.
func (e *Engine) copyHeads(to string) error {
	data, err := os.OpenRoot(e.Paths.Data)
	if err != nil {
		return fmt.Errorf("open the data folder: %w", err)
	}
	defer data.Close()
	file, err := openPlain(data, headsInData, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the heads of the journal: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, longestHeads))
	if err != nil {
		return fmt.Errorf("read the heads of the journal: %w", err)
	}
	return durable.Write(to, 0o600, text)
}

func describe(folder string, s set) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("describe the set: %w", err)
	}
	return durable.Write(filepath.Join(folder, setFile), 0o600, text)
}

// becomeKept makes a set the one that a rollback uses, and notes whether the way back costs data: a panel that did not
// start yet may still change the schema.
func (e *Engine) becomeKept(ctx context.Context, folder, next string, started bool) error {
	s, err := openSet(folder)
	if err != nil {
		return err
	}
	now, err := e.Host.Schema(ctx)
	if err != nil {
		return fmt.Errorf("read the schema of the database: %w", err)
	}
	s.Next, s.Changed = next, !started || now != s.Schema
	if err := describe(folder, s); err != nil {
		return err
	}
	if err := os.RemoveAll(e.Paths.kept()); err != nil {
		return fmt.Errorf("remove the older set: %w", err)
	}
	if err := os.Rename(folder, e.Paths.kept()); err != nil {
		return fmt.Errorf("keep the set: %w", err)
	}
	return durable.SyncFolder(e.Paths.Work)
}

// describeKept tells the journal, and so the panel, what a rollback would bring back.
func (e *Engine) describeKept() *kept {
	s, err := readSet(e.Paths.kept())
	if err != nil {
		return nil
	}
	return &kept{Version: s.Version, TakenAt: s.TakenAt, Until: s.TakenAt.Add(keepFor), RestoresDatabase: s.Changed}
}

// readSet reads the description of a finished set; fs.ErrNotExist when there is none.
func readSet(folder string) (set, error) {
	var s set
	text, err := os.ReadFile(filepath.Join(folder, setFile))
	if err != nil {
		return s, fmt.Errorf("open the kept set: %w", err)
	}
	if json.Unmarshal(text, &s) != nil {
		return s, errSet
	}
	return s, nil
}

// openSet also proves the files of the set.
func openSet(folder string) (set, error) {
	s, err := readSet(folder)
	if err != nil {
		return s, err
	}
	for name, want := range s.Sums {
		got, err := sumOf(filepath.Join(folder, name))
		if err != nil {
			return s, err
		}
		if got != want {
			return s, fmt.Errorf("%w: %s is not what it was", errSet, name)
		}
	}
	return s, nil
}

// putBack makes the stopped panel what the set says. It may be interrupted anywhere and done again.
func (e *Engine) putBack(ctx context.Context, folder string, s set) error {
	now, err := e.Host.Schema(ctx)
	if err != nil || now != s.Schema {
		if err := e.Host.Restore(ctx, filepath.Join(folder, setDatabase)); err != nil {
			return fmt.Errorf("restore the database: %w", err)
		}
		if err := e.putHeads(folder, s); err != nil {
			return err
		}
	}
	if err := e.putSettings(folder, s); err != nil {
		return err
	}
	if _, err := copyWhole(filepath.Join(folder, setBinary), e.Paths.Binary, 0o755); err != nil {
		return fmt.Errorf("put the executable back: %w", err)
	}
	return e.returnBeside(folder, s)
}

// putSettings keeps owner and mode of the file, which the panel's group must be able to read.
func (e *Engine) putSettings(folder string, s set) error {
	if now, err := sumOf(e.Paths.Settings); err == nil && now == s.Sums[setSettings] {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(folder, setSettings))
	if err != nil {
		return fmt.Errorf("read the kept settings: %w", err)
	}
	if exists(e.Paths.Settings) {
		if _, err := copyWhole(e.Paths.Settings, e.Paths.Settings+".before-rollback", 0o600); err != nil {
			return err
		}
	}
	return durable.Replace(e.Paths.Settings, 0o640, func(file *os.File) error {
		_, err := file.Write(text)
		if e.Owner != nil && err == nil {
			err = file.Chown(os.Geteuid(), e.Owner.gid)
		}
		return err
	})
}

// putHeads works inside the panel's own folder and follows no link out of it. What processes of the other version noted
// of entries that they had not sealed speaks of a database that is no more.
func (e *Engine) putHeads(folder string, s set) error {
	data, err := os.OpenRoot(e.Paths.Data)
	if err != nil {
		return fmt.Errorf("open the data folder: %w", err)
	}
	defer data.Close()
	if err := data.RemoveAll(openInData); err != nil {
		return fmt.Errorf("forget the open entries of the journal: %w", err)
	}
	if s.Sums[setHeads] == "" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(folder, setHeads))
	if err != nil {
		return fmt.Errorf("read the kept heads of the journal: %w", err)
	}
	file, err := openPlain(data, headsInData, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return fmt.Errorf("put the heads of the journal back: %w", err)
	}
	err = file.Truncate(0)
	if err == nil {
		_, err = file.Write(text)
	}
	if err = errors.Join(err, e.Owner.own(file), file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("put the heads of the journal back: %w", err)
	}
	return nil
}
