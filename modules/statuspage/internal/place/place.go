// Package place brings the files of a status page to where readers find them: a folder, a bucket of S3, an SSH server.
package place

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"panel/modules/statuspage/internal/site"
	"panel/platform/durable"
	"panel/platform/remote"
)

// largest is what is read back of a file.
const largest = 64 << 20

// Place holds the files of one page.
type Place interface {
	// Held says what the place holds of some files, where it can tell at once; nil: it cannot.
	Held(ctx context.Context, paths []string) (map[string]string, error)
	// Put brings a file there, whole or not at all.
	Put(ctx context.Context, file *site.File) error
	// Get gives the content of a file as the place has it.
	Get(ctx context.Context, path string) ([]byte, error)
	// Remove takes a file away; one that is not there is no error.
	Remove(ctx context.Context, path string) error
	// Close ends connections.
	Close() error
}

// ErrFull says that a place has no room left.
var ErrFull = remote.ErrFull

// cacheFor says how long readers may keep a file: what is named by its digest for ever, all else not at all.
func cacheFor(path string) string {
	if strings.HasPrefix(path, "assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

// Elsewhere makes a place of a bucket or of a folder of an SSH server.
func Elsewhere(files Files) Place { return &elsewhere{files} }

// Files are kept by platform/remote.
type Files interface {
	Put(ctx context.Context, file string, content io.Reader, about remote.About) error
	Open(ctx context.Context, file string) (io.ReadCloser, error)
	Remove(ctx context.Context, file string) error
	Close() error
}

type elsewhere struct{ files Files }

func (e *elsewhere) Held(context.Context, []string) (map[string]string, error) { return nil, nil }

func (e *elsewhere) Put(ctx context.Context, file *site.File) error {
	return e.files.Put(ctx, file.Path, bytes.NewReader(file.Content), remote.About{
		Size: int64(len(file.Content)), MediaType: file.MediaType, CacheControl: cacheFor(file.Path),
	})
}

func (e *elsewhere) Get(ctx context.Context, path string) ([]byte, error) {
	content, err := e.files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return io.ReadAll(io.LimitReader(content, largest))
}

func (e *elsewhere) Remove(ctx context.Context, path string) error { return e.files.Remove(ctx, path) }

func (e *elsewhere) Close() error { return e.files.Close() }

// Local makes a place of a folder on this machine.
func Local(folder string) Place { return &local{folder} }

type local struct{ folder string }

// in opens the folder: no name leads out of it, whatever links somebody has put there.
func (l *local) in(do func(root *os.Root) error) error {
	root, err := os.OpenRoot(l.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

// Held reads the folder: another panel may have another disk.
func (l *local) Held(_ context.Context, paths []string) (map[string]string, error) {
	out := map[string]string{}
	err := l.in(func(root *os.Root) error {
		for _, path := range paths {
			content, err := root.ReadFile(filepath.FromSlash(path))
			if err == nil {
				sum := sha256.Sum256(content)
				out[path] = hex.EncodeToString(sum[:])
			} else if !absent(err) {
				return err
			}
		}
		return nil
	})
	if err != nil && !absent(err) {
		return nil, fmt.Errorf("look at a file of the page: %w", plain(err))
	}
	return out, nil
}

// absent says that a file cannot be there.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// Put writes beside the name and renames at the end.
func (l *local) Put(_ context.Context, file *site.File) error {
	path := filepath.FromSlash(file.Path)
	//nolint:gosec // a server of files reads it
	err := os.MkdirAll(l.folder, 0o755)
	if err == nil {
		err = l.in(func(root *os.Root) error { return root.MkdirAll(filepath.Dir(path), 0o755) })
	}
	if err != nil {
		return fmt.Errorf("make a folder of the page: %w", plain(err))
	}
	if err := l.in(func(root *os.Root) error { return replace(root, path, file.Content) }); err != nil {
		return fmt.Errorf("write a file of the page: %w", plain(err))
	}
	if err := durable.SyncFolder(filepath.Join(l.folder, filepath.Dir(path))); err != nil {
		return fmt.Errorf("make a folder of the page durable: %w", plain(err))
	}
	return nil
}

// replace leaves the previous file or the new one, and nothing beside it.
func replace(root *os.Root, path string, content []byte) error {
	draft := path + remote.Draft
	if err := gone(root.Remove(draft)); err != nil { // of a writer that was killed
		return err
	}
	err := write(root, draft, content)
	if err == nil {
		err = root.Rename(draft, path)
	}
	if err != nil {
		return errors.Join(plain(err), plain(gone(root.Remove(draft))))
	}
	return nil
}

func write(root *os.Root, path string, content []byte) error {
	out, err := root.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = out.Write(content)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// plain takes the path off an error and says in words that the disk is full.
func plain(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return ErrFull
	}
	var path *fs.PathError
	var names *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &names):
		return names.Err
	}
	return err
}

func (l *local) Get(_ context.Context, path string) (content []byte, err error) {
	err = l.in(func(root *os.Root) error {
		content, err = root.ReadFile(filepath.FromSlash(path))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, remote.ErrMissing
	}
	return content, plain(err)
}

func (l *local) Remove(_ context.Context, path string) error {
	return plain(gone(l.in(func(root *os.Root) error { return root.Remove(filepath.FromSlash(path)) })))
}

func (l *local) Close() error { return nil }

// Inside is a folder in a root that nobody leads out of; false: it does.
func Inside(root, folder string) (string, bool) {
	if folder == "" {
		folder = "."
	}
	return filepath.Join(root, folder), filepath.IsLocal(folder)
}
