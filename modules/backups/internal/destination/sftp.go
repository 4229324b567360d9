package destination

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path"
	"strconv"
	"sync"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"panel/modules/backups/internal/artefact"
)

// SFTPConfig is a folder on an SSH server. HostKey pins the server's key as a line of known_hosts has it behind the
// name: "ssh-ed25519 AAAA…". It is never learnt silently: HostKey shows it to a person first.
type SFTPConfig struct {
	Host    string `json:"host"`
	Port    int    `json:"port,omitempty"` // 0 means 22
	User    string `json:"user"`
	Folder  string `json:"folder,omitempty"`
	HostKey string `json:"host_key"`
}

const atOnce = 16 // requests of 32 kB on their way to the server

type folder struct {
	env    Env
	config SFTPConfig
	login  []ssh.AuthMethod
	pinned ssh.PublicKey
	most   int64

	mu     sync.Mutex
	client *sftp.Client
	conn   *ssh.Client
	wire   net.Conn
}

func (e Env) sftp(s Spec, c SFTPConfig) (artefact.Destination, error) {
	pinned, _, _, _, err := ssh.ParseAuthorizedKey([]byte(c.HostKey))
	switch {
	case c.Host == "":
		return nil, wrong("host", "the host is missing")
	case c.Port < 0 || c.Port > 65535:
		return nil, wrong("port", "a port is a number from 1 to 65535; 0 means 22")
	case c.User == "":
		return nil, wrong("user", "the user is missing")
	case err != nil:
		return nil, wrong("host_key", "the host key looks like ssh-ed25519 AAAA…: ask the server for it and compare it")
	}
	login, err := loginBy(s.Secret)
	if err != nil {
		return nil, err
	}
	return &folder{env: e, config: c, login: login, pinned: pinned, most: s.MaxPartBytes}, nil
}

// open gives the connection, a new one where the old one has ended, and ends it with the context: the library knows
// none.
func (f *folder) open(ctx context.Context) (*sftp.Client, func(), error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.client == nil {
		if err := f.connect(ctx); err != nil {
			return nil, nil, err
		}
	}
	client, wire := f.client, f.wire
	stop := context.AfterFunc(ctx, func() { _ = wire.Close() })
	return client, func() { stop() }, nil
}

// drop forgets a connection over which something failed; the next call makes another.
func (f *folder) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conn != nil {
		_ = f.conn.Close() // it failed before
	}
	f.client, f.conn, f.wire = nil, nil, nil
}

// Put writes beside the name and renames at the end; what the server has counts, not what was sent.
func (f *folder) Put(ctx context.Context, file string, content io.Reader) error {
	return f.do(ctx, "send a part of the backup", func(client *sftp.Client) error {
		if f.config.Folder != "" {
			if err := client.MkdirAll(f.config.Folder); err != nil {
				return err
			}
		}
		return f.write(client, f.path(file), content)
	})
}

func (f *folder) write(client *sftp.Client, name string, content io.Reader) error {
	out, err := client.Create(name + draft)
	if err != nil {
		return err
	}
	sent := &counting{from: content}
	_, err = out.ReadFromWithConcurrency(sent, atOnce)
	if err == nil {
		err = ignoreUnsupported(out.Sync())
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return f.orFull(client, err)
	}
	about, err := client.Stat(name + draft)
	if err != nil {
		return err
	}
	if about.Size() != sent.bytes {
		return f.orFull(client, errOther)
	}
	return client.PosixRename(name+draft, name)
}

type counting struct {
	from  io.Reader
	bytes int64
}

func (c *counting) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	c.bytes += int64(n)
	return n, err
}

// orFull looks for the reason that the protocol has no word for.
func (f *folder) orFull(client *sftp.Client, err error) error {
	space, asked := client.StatVFS(path.Dir(f.path("x")))
	const little = 1 << 20
	if asked == nil && space.Bavail*space.Frsize < little {
		return ErrFull
	}
	return err
}

func ignoreUnsupported(err error) error {
	var status *sftp.StatusError
	if errors.As(err, &status) && status.FxCode() == sftp.ErrSSHFxOpUnsupported {
		return nil
	}
	return err
}

func (f *folder) path(file string) string { return path.Join(f.config.Folder, file) }

func (f *folder) Open(ctx context.Context, file string) (io.ReadCloser, error) {
	client, done, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	opened, err := client.Open(f.path(file))
	if err != nil {
		done()
		return nil, f.said(ctx, "open a file of the backup", err)
	}
	return &remote{File: opened, done: done, said: func(err error) error {
		return f.said(ctx, "read a file of the backup", err)
	}}, nil
}

// remote is a file that is being read.
type remote struct {
	*sftp.File
	done func()
	said func(error) error
}

// Read hides WriteTo of the library, which reads far ahead.
func (r *remote) Read(into []byte) (int, error) {
	n, err := r.File.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.said(err)
	}
	return n, err
}

func (r *remote) Close() error {
	defer r.done()
	return r.File.Close()
}

func (f *folder) Files(ctx context.Context) (all []artefact.File, err error) {
	err = f.do(ctx, "list the folder of backups", func(client *sftp.Client) error {
		found, err := client.ReadDirContext(ctx, path.Clean(f.config.Folder))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for _, about := range found {
			if about.Mode().IsRegular() {
				all = append(all, artefact.File{Name: about.Name(), Bytes: about.Size()})
			}
		}
		return err
	})
	return all, err
}

// Remove takes the draft first: a server that still writes it can then give it no name.
func (f *folder) Remove(ctx context.Context, file string) error {
	return f.do(ctx, "remove a file of the backup", func(client *sftp.Client) error {
		for _, name := range []string{f.path(file) + draft, f.path(file)} {
			if err := client.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
}

func (f *folder) Check(ctx context.Context) error {
	const within = time.Minute
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return check(ctx, f)
}

func (f *folder) Limits() artefact.Limits { return artefact.Limits{PartBytes: f.most} }

func (f *folder) Close() error {
	f.drop()
	return nil
}

func (f *folder) do(ctx context.Context, doing string, work func(*sftp.Client) error) error {
	client, done, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	return f.said(ctx, doing, work(client))
}

// said names what was being done. Where the server did not answer with a status, the connection is over.
func (f *folder) said(ctx context.Context, doing string, err error) error {
	var status *sftp.StatusError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return artefact.ErrMissing
	case errors.As(err, &status), errors.Is(err, ErrFull), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: %w", doing, err)
	}
	f.drop()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func (f *folder) address() string { return address(f.config.Host, f.config.Port) }

func address(host string, port int) string {
	const usual = 22
	if port == 0 {
		port = usual
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}
