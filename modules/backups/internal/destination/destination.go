// Package destination keeps files of backups in a folder, in S3, over SFTP and in a messenger's chat.
package destination

import (
	"context"
	"encoding/json"
	"errors"

	"panel/modules/backups/internal/artefact"
	"panel/platform/outbound"
)

// Kind is the kind of a destination.
type Kind string

// The kinds that there are.
const (
	Local     Kind = "local"
	S3        Kind = "s3"
	SFTP      Kind = "sftp"
	Messenger Kind = "messenger"
)

// Spec is a destination of a profile.
type Spec struct {
	Kind   Kind            `json:"kind"`
	Config json.RawMessage `json:"config"` // LocalConfig, S3Config, SFTPConfig or MessengerConfig
	// Secret is the S3 secret key, the SFTP password or private key (PEM), the messenger's token; local has none.
	Secret string `json:"secret,omitempty"`
	// MaxPartBytes is the largest file; 0 means the kind's own limit.
	MaxPartBytes int64 `json:"max_part_bytes,omitempty"`
}

// LocalConfig is a folder. A path that is not absolute lies in Env.Folder.
type LocalConfig struct {
	Folder string `json:"folder,omitempty"`
}

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

// MessengerConfig is a chat of a service like Telegram.
type MessengerConfig struct {
	ChatID   string `json:"chat_id"`
	ThreadID int64  `json:"thread_id,omitempty"`
	APIRoot  string `json:"api_root,omitempty"` // "" means Env.MessengerRoot
}

// Env is what destinations need of the panel.
type Env struct {
	Network *outbound.Network
	// Folder is PANEL_BACKUP_DIR.
	Folder string
	// Confined refuses local folders outside Folder: for profiles, which people write over the web.
	Confined bool
	// MessengerRoot is PANEL_MESSENGER_API_ROOT.
	MessengerRoot string
}

// ErrHostKey means that an SSH server showed another key than the pinned one: it was set up anew, or somebody is between.
var ErrHostKey = errors.New("the server's host key is not the one that was kept: " +
	"ask its operator, then keep the new key if it is right")

var errUnbuilt = errors.New("not built")

// Validate reads a Spec without any call: field names in the fault's errors are those of Spec and of its config.
// Fault: invalid_value (422).
func (e Env) Validate(s Spec) error { return errUnbuilt }

// Open makes the destination of a Spec. It calls nobody yet: a service that cannot be reached fails the first Put.
func (e Env) Open(s Spec) (artefact.Destination, error) { return nil, errUnbuilt }

// HostKey asks an SSH server for its key, so that a person can compare the fingerprint ("SHA256:…") and keep the key.
func (e Env) HostKey(ctx context.Context, host string, port int) (key, fingerprint string, err error) {
	return "", "", errUnbuilt
}
