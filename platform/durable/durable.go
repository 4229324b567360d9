// Package durable writes files so that a crash leaves the old content or the new one and never a part, and a power cut
// afterwards does not undo it.
package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// draftMark is in the names of drafts.
const draftMark = ".draft-"

// Write replaces the file at path: it is written beside it, synced and renamed, and the folder is synced.
func Write(path string, mode fs.FileMode, content []byte) error {
	return Replace(path, mode, text(content))
}

// Replace is Write for a file that fill writes.
func Replace(path string, mode fs.FileMode, fill func(*os.File) error) error {
	return within(filepath.Dir(path), func(folder *os.Root) error {
		return put(folder, filepath.Base(path), mode, nil, fill, folder.Rename)
	})
}

// Create is Write where no file may be yet: of several writers the first one wins, and the others get fs.ErrExist.
func Create(path string, mode fs.FileMode, content []byte) error {
	return within(filepath.Dir(path), func(folder *os.Root) error {
		return put(folder, filepath.Base(path), mode, nil, text(content), folder.Link)
	})
}

// Below replaces the file name in a folder that may belong to somebody else, while root works on it: folders on the way
// are made, a link that leads out of the folder is an error, and what was made belongs to the owner of the folder.
func Below(folder, name string, mode fs.FileMode, content []byte) error {
	return within(folder, func(root *os.Root) error { return below(root, name, mode, content, root.Rename) })
}

// CreateBelow is Below where no file may be yet, as Create is Write.
func CreateBelow(folder, name string, mode fs.FileMode, content []byte) error {
	return within(folder, func(root *os.Root) error { return below(root, name, mode, content, root.Link) })
}

func below(root *os.Root, name string, mode fs.FileMode, content []byte, place func(from, to string) error) error {
	owner, err := ownerOf(root)
	if err != nil {
		return err
	}
	if err := makeWay(root, filepath.Dir(name), owner); err != nil {
		return err
	}
	return put(root, name, mode, owner, text(content), place)
}

func text(content []byte) func(*os.File) error {
	return func(file *os.File) error {
		_, err := file.Write(content)
		return err
	}
}

// Sweep removes the drafts that killed writers left in a folder. Nobody may be writing there.
func Sweep(folder string) error {
	drafts, err := filepath.Glob(filepath.Join(folder, ".*"+draftMark+"*"))
	for _, draft := range drafts {
		err = errors.Join(err, os.Remove(draft))
	}
	if err != nil {
		return fmt.Errorf("remove drafts: %w", err)
	}
	return nil
}

// SyncFolder makes the names in a folder durable.
func SyncFolder(path string) error {
	return within(path, func(folder *os.Root) error { return syncIn(folder, ".") })
}

func within(path string, do func(*os.Root) error) error {
	folder, err := os.OpenRoot(path)
	if err != nil {
		return fmt.Errorf("open the folder: %w", err)
	}
	defer func() { _ = folder.Close() }()
	return do(folder)
}

// put writes a draft and gives it the name by place, which is Rename or Link.
func put(folder *os.Root, name string, mode fs.FileMode, owner *syscall.Stat_t, fill func(*os.File) error,
	place func(from, to string) error,
) error {
	draft := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+draftMark+rand.Text())
	file, err := folder.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() { _ = folder.Remove(draft) }()
	err = fill(file)
	if err = errors.Join(err, file.Chmod(mode), give(file, owner), file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := place(draft, name); err != nil {
		return fmt.Errorf("put %s in its place: %w", name, err)
	}
	return syncIn(folder, filepath.Dir(name))
}

func syncIn(folder *os.Root, name string) error {
	opened, err := folder.Open(name)
	if err != nil {
		return fmt.Errorf("sync the folder: %w", err)
	}
	return errors.Join(opened.Sync(), opened.Close())
}

func ownerOf(folder *os.Root) (*syscall.Stat_t, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	about, err := folder.Stat(".")
	if err != nil {
		return nil, fmt.Errorf("look at the folder: %w", err)
	}
	owner, _ := about.Sys().(*syscall.Stat_t)
	return owner, nil
}

func give(file *os.File, owner *syscall.Stat_t) error {
	if owner == nil {
		return nil
	}
	return file.Chown(int(owner.Uid), int(owner.Gid))
}

// makeWay makes the folders that lead to a file, and gives away those that it made.
func makeWay(root *os.Root, way string, owner *syscall.Stat_t) error {
	if way == "." {
		return nil
	}
	if err := makeWay(root, filepath.Dir(way), owner); err != nil {
		return err
	}
	if err := root.Mkdir(way, 0o700); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("make the folder %s: %w", way, err)
	}
	made, err := root.Open(way)
	if err != nil {
		return fmt.Errorf("make the folder %s: %w", way, err)
	}
	return errors.Join(give(made, owner), made.Close(), syncIn(root, filepath.Dir(way)))
}
