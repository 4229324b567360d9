package remote

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

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// SFTP is a folder on an SSH server. HostKey pins the server's key as a line of known_hosts has it behind the
// name: "ssh-ed25519 AAAA…". It is never learnt silently: HostKey shows it to a person first.
type SFTP struct {
	Host    string
	Port    int // 0 means 22
	User    string
	Folder  string
	HostKey string
	Secret  string // a password, or a private key in PEM
}

const atOnce = 16 // requests of 32 kB on their way to the server

// Folder keeps files on an SSH server.
type Folder struct {
	env    Env
	config SFTP
	login  []ssh.AuthMethod
	pinned ssh.PublicKey

	mu     sync.Mutex
	client *sftp.Client
	conn   *ssh.Client
	wire   net.Conn
	made   map[string]bool // folders that are there
}

// OpenSFTP makes a folder. It calls nobody yet. Fault: invalid_value (422) with the name of the field of the settings.
func (e Env) OpenSFTP(c SFTP) (*Folder, error) {
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
	login, err := loginBy(c.Secret)
	if err != nil {
		return nil, err
	}
	return &Folder{env: e, config: c, login: login, pinned: pinned, made: map[string]bool{}}, nil
}

// open gives the connection, a new one where the old one has ended, and ends it with the context: the library knows
// none.
func (f *Folder) open(ctx context.Context) (*sftp.Client, func(), error) {
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
func (f *Folder) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conn != nil {
		_ = f.conn.Close() // it failed before
	}
	f.client, f.conn, f.wire, f.made = nil, nil, nil, map[string]bool{}
}

// Put writes beside the name and renames at the end; what the server has counts, not what was sent.
func (f *Folder) Put(ctx context.Context, file string, content io.Reader, _ About) error {
	return f.do(ctx, f.env.Words.Send, func(client *sftp.Client) error {
		if err := f.make(client, path.Dir(f.path(file))); err != nil {
			return err
		}
		return f.write(client, f.path(file), content)
	})
}

// make makes a folder, once for a connection.
func (f *Folder) make(client *sftp.Client, folder string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if folder == "." || f.made[folder] {
		return nil
	}
	if err := client.MkdirAll(folder); err != nil {
		return err
	}
	f.made[folder] = true
	return nil
}

func (f *Folder) write(client *sftp.Client, name string, content io.Reader) error {
	out, err := client.Create(name + Draft)
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
	about, err := client.Stat(name + Draft)
	if err != nil {
		return err
	}
	if about.Size() != sent.bytes {
		return f.orFull(client, ErrOther)
	}
	return client.PosixRename(name+Draft, name)
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
func (f *Folder) orFull(client *sftp.Client, err error) error {
	space, asked := client.StatVFS(path.Dir(f.path("x")))
	const little = 1 << 20
	if asked == nil && space.Bavail*space.Frsize < little {
		return f.env.Words.full()
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

func (f *Folder) path(file string) string { return path.Join(f.config.Folder, file) }

// Open gives the content of a file, or ErrMissing.
func (f *Folder) Open(ctx context.Context, file string) (io.ReadCloser, error) {
	client, done, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	opened, err := client.Open(f.path(file))
	if err != nil {
		done()
		return nil, f.said(ctx, f.env.Words.Open, err)
	}
	return &reading{File: opened, done: done, said: func(err error) error {
		return f.said(ctx, f.env.Words.Read, err)
	}}, nil
}

// reading is a file that is being read.
type reading struct {
	*sftp.File
	done func()
	said func(error) error
}

// Read hides WriteTo of the library, which reads far ahead.
func (r *reading) Read(into []byte) (int, error) {
	n, err := r.File.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.said(err)
	}
	return n, err
}

func (r *reading) Close() error {
	defer r.done()
	return r.File.Close()
}

// Files lists the files of the folder itself, in no order.
func (f *Folder) Files(ctx context.Context) (all []File, err error) {
	err = f.do(ctx, f.env.Words.ListFolder, func(client *sftp.Client) error {
		found, err := client.ReadDirContext(ctx, path.Clean(f.config.Folder))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for _, about := range found {
			if about.Mode().IsRegular() {
				all = append(all, File{Name: about.Name(), Bytes: about.Size()})
			}
		}
		return err
	})
	return all, err
}

// Remove takes the draft first: a server that still writes it can then give it no name.
func (f *Folder) Remove(ctx context.Context, file string) error {
	return f.do(ctx, f.env.Words.Remove, func(client *sftp.Client) error {
		for _, name := range []string{f.path(file) + Draft, f.path(file)} {
			if err := client.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
}

// Close ends the connection.
func (f *Folder) Close() error {
	f.drop()
	return nil
}

func (f *Folder) do(ctx context.Context, doing string, work func(*sftp.Client) error) error {
	client, done, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	return f.said(ctx, doing, work(client))
}

// said names what was being done. Where the server did not answer with a status, the connection is over.
func (f *Folder) said(ctx context.Context, doing string, err error) error {
	var status *sftp.StatusError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return ErrMissing
	case errors.As(err, &status), errors.Is(err, ErrFull), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: %w", doing, err)
	}
	f.drop()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func (f *Folder) address() string { return address(f.config.Host, f.config.Port) }

func address(host string, port int) string {
	const usual = 22
	if port == 0 {
		port = usual
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}
