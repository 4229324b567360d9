package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// AppendBelow makes a new file below a folder that may belong to somebody else, as CreateBelow does, and leaves it open
// for lines that are added to it. The file gets its name after prepare, so that nobody else opens it before.
func AppendBelow(folder, name string, mode fs.FileMode, prepare func(*os.File) error) (made *os.File, err error) {
	err = within(folder, func(root *os.Root) error {
		made, err = appendBelow(root, name, mode, prepare)
		return err
	})
	return made, err
}

func appendBelow(root *os.Root, name string, mode fs.FileMode, prepare func(*os.File) error) (*os.File, error) {
	owner, err := ownerOf(root)
	if err != nil {
		return nil, err
	}
	if err := makeWay(root, filepath.Dir(name), owner); err != nil {
		return nil, err
	}
	draft := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+draftMark+rand.Text())
	file, err := root.OpenFile(draft, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", name, err)
	}
	defer func() { _ = root.Remove(draft) }()
	if err := errors.Join(file.Chmod(mode), give(file, owner), prepare(file)); err != nil {
		return nil, errors.Join(fmt.Errorf("make %s: %w", name, err), file.Close())
	}
	if err := root.Link(draft, name); err != nil {
		return nil, errors.Join(fmt.Errorf("put %s in its place: %w", name, err), file.Close())
	}
	return file, nil
}
