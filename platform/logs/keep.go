package logs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

const (
	keptBytes = 20 << 20
	keptFiles = 3 // beside the one that grows
)

// Keep gives a writer that passes everything on to out and also keeps it in panel.log of a folder, so that the logs can
// be read where no journal and no container engine keeps them. A full disk or a folder that may not be written never
// stops the panel: what could not be kept is still passed on.
func Keep(out io.Writer, folder string) io.Writer {
	return &kept{out: out, path: filepath.Join(folder, "panel.log"), most: keptBytes}
}

// InJournal tells whether what a process writes to its standard error reaches the system journal: the service manager
// names the stream in JOURNAL_STREAM, which children with other streams inherit.
func InJournal(stream string) bool {
	var own syscall.Stat_t
	if stream == "" || syscall.Fstat(int(os.Stderr.Fd()), &own) != nil {
		return false
	}
	return stream == fmt.Sprintf("%d:%d", own.Dev, own.Ino)
}

type kept struct {
	out  io.Writer
	path string
	most int64

	mutex sync.Mutex
	file  *os.File
	size  int64
}

// Write keeps whole buffers together, so that a rotation never cuts a line.
func (k *kept) Write(lines []byte) (int, error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if err := k.keep(lines); err != nil && k.file != nil {
		k.file.Close()
		k.file = nil // the next line tries anew
	}
	return k.out.Write(lines)
}

func (k *kept) keep(lines []byte) error {
	if k.file != nil && k.size+int64(len(lines)) > k.most {
		if err := k.rotate(); err != nil {
			return err
		}
	}
	if k.file == nil {
		if err := k.open(); err != nil {
			return err
		}
	}
	n, err := k.file.Write(lines)
	k.size += int64(n)
	return err
}

func (k *kept) open() error {
	if err := os.MkdirAll(filepath.Dir(k.path), 0o750); err != nil {
		return fmt.Errorf("make the folder of logs: %w", err)
	}
	file, err := os.OpenFile(k.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	about, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	k.file, k.size = file, about.Size()
	return nil
}

// rotate renames panel.log to panel.log.1 and so on; the oldest goes.
func (k *kept) rotate() error {
	err := k.file.Close()
	k.file = nil
	for n := keptFiles; n > 1; n-- {
		_ = os.Rename(k.path+"."+strconv.Itoa(n-1), k.path+"."+strconv.Itoa(n)) // the first times there are fewer
	}
	return errors.Join(err, os.Rename(k.path, k.path+".1"))
}
