package destination

import (
	"context"
	"errors"
	"io"
	"time"

	"panel/modules/backups/internal/artefact"
	"panel/platform/remote"
)

// S3Config is a bucket of any service that speaks S3.
type S3Config struct {
	Endpoint    string `json:"endpoint"` // https://s3.example.com, also with a port
	Bucket      string `json:"bucket"`
	Prefix      string `json:"prefix,omitempty"`
	Region      string `json:"region,omitempty"`
	AccessKeyID string `json:"access_key_id"`
	PathStyle   bool   `json:"path_style,omitempty"`
}

// SFTPConfig is a folder on an SSH server. HostKey pins the server's key as a line of known_hosts has it behind the
// name: "ssh-ed25519 AAAA…". It is never learnt silently: HostKey shows it to a person first.
type SFTPConfig struct {
	Host    string `json:"host"`
	Port    int    `json:"port,omitempty"` // 0 means 22
	User    string `json:"user"`
	Folder  string `json:"folder,omitempty"`
	HostKey string `json:"host_key"`
}

// ErrHostKey means that an SSH server showed another key than the pinned one.
var ErrHostKey = remote.ErrHostKey

// fullError is ErrFull in the words of this package, and the one of places elsewhere.
type fullError struct{ error }

// Is says that it is what places elsewhere call it.
func (fullError) Is(target error) bool { return target == remote.ErrFull }

// Unwrap gives the one of this package.
func (e fullError) Unwrap() error { return e.error }

// elsewhere is how places elsewhere are reached, and how their errors speak of files.
func (e Env) elsewhere() remote.Env {
	return remote.Env{
		Network: e.Network, Reach: e.reach(), Name: "backup", Moving: artefact.Moving,
		Words: remote.Words{
			Send: "send a part of the backup", Open: "open a file of the backup", Read: "read a file of the backup",
			Remove: "remove a file of the backup", ListBucket: "list the backups of the bucket",
			ListFolder: "list the folder of backups", Full: fullError{ErrFull},
		},
	}
}

// HostKey asks an SSH server for its key, so that a person can compare the fingerprint ("SHA256:…") and keep the key.
func (e Env) HostKey(ctx context.Context, host string, port int) (key, fingerprint string, err error) {
	return e.elsewhere().HostKey(ctx, host, port)
}

func (e Env) s3(s Spec, c S3Config) (artefact.Destination, error) {
	bucket, err := e.elsewhere().OpenS3(remote.S3{
		Endpoint: c.Endpoint, Bucket: c.Bucket, Prefix: c.Prefix, Region: c.Region, AccessKeyID: c.AccessKeyID,
		SecretKey: s.Secret, PathStyle: c.PathStyle,
	})
	if err != nil {
		return nil, err
	}
	most := int64(remote.LargestObject)
	if s.MaxPartBytes > 0 {
		most = min(s.MaxPartBytes, most)
	}
	return &away{bucket, most}, nil
}

func (e Env) sftp(s Spec, c SFTPConfig) (artefact.Destination, error) {
	folder, err := e.elsewhere().OpenSFTP(remote.SFTP{
		Host: c.Host, Port: c.Port, User: c.User, Folder: c.Folder, HostKey: c.HostKey, Secret: s.Secret,
	})
	if err != nil {
		return nil, err
	}
	return &away{folder, s.MaxPartBytes}, nil
}

// files is a place elsewhere.
type files interface {
	Put(ctx context.Context, file string, content io.Reader, about remote.About) error
	Open(ctx context.Context, file string) (io.ReadCloser, error)
	Files(ctx context.Context) ([]remote.File, error)
	Remove(ctx context.Context, file string) error
	Close() error
}

// away is a place elsewhere as backups see one.
type away struct {
	files

	most int64
}

// Put keeps a file.
func (a *away) Put(ctx context.Context, file string, content io.Reader) error {
	return a.files.Put(ctx, file, content, remote.About{})
}

// Open gives the content of a file.
func (a *away) Open(ctx context.Context, file string) (io.ReadCloser, error) {
	content, err := a.files.Open(ctx, file)
	if errors.Is(err, remote.ErrMissing) {
		return nil, artefact.ErrMissing
	}
	return content, err
}

// Files lists what is there.
func (a *away) Files(ctx context.Context) ([]artefact.File, error) {
	found, err := a.files.Files(ctx)
	all := make([]artefact.File, len(found))
	for i, one := range found {
		all[i] = artefact.File(one)
	}
	return all, err
}

// Check proves that the place can be used.
func (a *away) Check(ctx context.Context) error {
	const within = time.Minute
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return check(ctx, a)
}

// Limits says what the place takes.
func (a *away) Limits() artefact.Limits { return artefact.Limits{PartBytes: a.most} }
