package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

var errPlain = errors.New("it is not a plain file")

// Open opens a plain file to read it; a pipe would hold the reader up. For root it also minds the owner: in a folder of
// somebody else a link could lead to what that person may not read, and root shows others what it reads. Such a file
// is an fs.ErrPermission.
func Open(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := readable(file, path); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), file.Close())
	}
	return file, nil
}

func readable(file *os.File, path string) error {
	about, err := file.Stat()
	if err != nil {
		return err
	}
	if !about.Mode().IsRegular() {
		return errPlain
	}
	const byEverybody = 0o004
	if os.Geteuid() != 0 || about.Mode()&byEverybody != 0 {
		return nil
	}
	above, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	if host := uidOf(above); host != 0 && host != uidOf(about) {
		return fs.ErrPermission
	}
	return nil
}

func uidOf(about fs.FileInfo) uint32 {
	if system, known := about.Sys().(*syscall.Stat_t); known {
		return system.Uid
	}
	return 0
}

// ReadFile is os.ReadFile by way of Open.
func ReadFile(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(file)
}
