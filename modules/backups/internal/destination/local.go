package destination

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"panel/modules/backups/internal/artefact"
	"panel/platform/durable"
)

// LocalConfig is a folder. A path that is not absolute lies in Env.Folder.
type LocalConfig struct {
	Folder string `json:"folder,omitempty"`
}

// draft is behind the name of a file that is being written.
const draft = ".part"

// ErrFull means that the place has no room left.
var ErrFull = errors.New("the disk of the destination is full: make room or keep fewer backups")

type local struct {
	folder string
	most   int64
}

func (e Env) local(s Spec, c LocalConfig) (artefact.Destination, error) {
	folder := c.Folder
	if !filepath.IsAbs(folder) {
		if folder != "" && !filepath.IsLocal(folder) {
			return nil, wrong("folder", "the folder must not lead out of the folder of backups")
		}
		folder = filepath.Join(e.Folder, folder)
	}
	if e.Confined && !inside(e.Folder, folder) {
		return nil, wrong("folder", "the folder must lie in the folder of backups (PANEL_BACKUP_DIR)")
	}
	return &local{folder: folder, most: s.MaxPartBytes}, nil
}

func inside(root, folder string) bool {
	way, err := filepath.Rel(root, folder)
	return err == nil && (way == "." || filepath.IsLocal(way))
}

// Put writes beside the name and renames at the end.
func (l *local) Put(_ context.Context, file string, content io.Reader) error {
	if err := os.MkdirAll(l.folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of backups: %w", plain(err))
	}
	path := filepath.Join(l.folder, file)
	if err := writeNew(path+draft, content); err != nil {
		return errors.Join(err, os.Remove(path+draft))
	}
	if err := os.Rename(path+draft, path); err != nil {
		return fmt.Errorf("name a part of the backup: %w", plain(err))
	}
	if err := durable.SyncFolder(l.folder); err != nil {
		return fmt.Errorf("make the folder of backups durable: %w", plain(err))
	}
	return nil
}

func writeNew(path string, content io.Reader) error {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("begin a part of the backup: %w", plain(err))
	}
	_, err = io.Copy(onlyWriter{out}, content)
	if err == nil {
		err = out.Sync()
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write a part of the backup: %w", plain(err))
	}
	return nil
}

// onlyWriter keeps io.Copy from looking for a faster way that a stream does not have.
type onlyWriter struct{ io.Writer }

// plain takes the path off an error and says in words that the disk is full.
func plain(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return ErrFull
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (l *local) Open(_ context.Context, file string) (io.ReadCloser, error) {
	opened, err := os.OpenFile(filepath.Join(l.folder, file), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, artefact.ErrMissing
	}
	if err != nil {
		return nil, fmt.Errorf("open a file of the backup: %w", plain(err))
	}
	return opened, nil
}

func (l *local) Files(context.Context) ([]artefact.File, error) {
	entries, err := os.ReadDir(l.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the folder of backups: %w", plain(err))
	}
	var all []artefact.File
	for _, entry := range entries {
		about, err := entry.Info()
		if err != nil || !about.Mode().IsRegular() {
			continue
		}
		all = append(all, artefact.File{Name: entry.Name(), Bytes: about.Size()})
	}
	return all, nil
}

// Remove takes the draft first: whoever still writes it can then give it no name.
func (l *local) Remove(_ context.Context, file string) error {
	for _, name := range []string{file + draft, file} {
		if strings.Contains(name, "/") {
			return artefact.ErrMissing
		}
		err := os.Remove(filepath.Join(l.folder, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a file of the backup: %w", plain(err))
		}
	}
	return nil
}

func (l *local) Check(ctx context.Context) error { return check(ctx, l) }

func (l *local) Limits() artefact.Limits { return artefact.Limits{PartBytes: l.most} }

func (l *local) Close() error { return nil }
