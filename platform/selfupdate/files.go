package selfupdate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"panel/platform/durable"
)

// identity is the user that the panel runs as; nil stands for the user of this process.
type identity struct{ uid, gid int }

func identityOf(name string) (*identity, error) {
	found, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("find the user of the panel: %w", err)
	}
	uid, err := strconv.Atoi(found.Uid)
	if err != nil {
		return nil, fmt.Errorf("read the id of the user of the panel: %w", err)
	}
	gid, err := strconv.Atoi(found.Gid)
	if err != nil {
		return nil, fmt.Errorf("read the group of the user of the panel: %w", err)
	}
	return &identity{uid: uid, gid: gid}, nil
}

func (i *identity) own(file *os.File) error {
	if i == nil {
		return nil
	}
	if err := file.Chown(i.uid, i.gid); err != nil {
		return fmt.Errorf("give a file to the user of the panel: %w", err)
	}
	return nil
}

// attributes starts a program as the user.
func (i *identity) attributes() *syscall.SysProcAttr {
	if i == nil {
		return nil
	}
	return &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: uint32(i.uid), Gid: uint32(i.gid)},
	} //nolint:gosec // ids of the system
}

// copyWhole copies a file durably and answers its checksum.
func copyWhole(from, to string, mode fs.FileMode) (string, error) {
	source, err := os.Open(from)
	if err != nil {
		return "", fmt.Errorf("copy a file: %w", err)
	}
	defer source.Close()
	sum := sha256.New()
	err = durable.Replace(to, mode, func(file *os.File) error {
		_, err := io.Copy(io.MultiWriter(file, sum), source)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

var errNotPlain = errors.New("it is not a plain file with one name")

// openPlain opens a file of the panel's user for root: no pipe, which would hold root up, and no second name of a file
// that belongs to somebody else.
func openPlain(folder *os.Root, name string, flag int) (*os.File, error) {
	file, err := folder.OpenFile(name, flag|syscall.O_NONBLOCK, 0o640)
	if err != nil {
		return nil, err
	}
	if about, err := file.Stat(); err != nil || !plain(about) {
		return nil, errors.Join(errNotPlain, err, file.Close())
	}
	return file, nil
}

func plain(about fs.FileInfo) bool {
	system, known := about.Sys().(*syscall.Stat_t)
	return about.Mode().IsRegular() && known && system.Nlink == 1
}

func sumOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read a file of the set: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("read a file of the set: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// makeFolder also corrects the mode of a folder that is there.
func makeFolder(path string, mode fs.FileMode) error {
	if err := os.MkdirAll(path, mode); err != nil {
		return fmt.Errorf("make a folder for updates: %w", err)
	}
	if err := os.Chmod(path, mode); err != nil {
		return fmt.Errorf("open a folder for updates: %w", err)
	}
	return nil
}
