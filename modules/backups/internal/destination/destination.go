// Package destination keeps files of backups in a folder, in S3, over SFTP and in a messenger's chat.
package destination

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"panel/modules/backups/internal/artefact"
	"panel/platform/fault"
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

// Env is what destinations need of the panel.
type Env struct {
	Network *outbound.Network
	// Folder is PANEL_BACKUP_DIR.
	Folder string
	// Confined is for profiles, which people write over the web: local folders lie in Folder, and servers are none that
	// only this machine reaches, but for networks of PANEL_OUTBOUND_ALLOW.
	Confined bool
	// MessengerRoot is PANEL_MESSENGER_API_ROOT.
	MessengerRoot string
}

func (e Env) reach() outbound.Reach {
	if e.Confined {
		return outbound.Private
	}
	return outbound.Configured
}

const leastPart = 1 << 20

// Validate reads a Spec without any call: field names in the fault's errors are those of Spec and of its config.
// Whether a secret is there is judged by whoever keeps it. Fault: invalid_value (422).
func (e Env) Validate(s Spec) error {
	if s.MaxPartBytes != 0 && s.MaxPartBytes < leastPart {
		return fault.InvalidValue("max_part_bytes", "a part has at least 1 MiB; 0 leaves it to the panel")
	}
	opened, err := e.Open(s)
	if err != nil {
		return err
	}
	return opened.Close()
}

// Open makes the destination of a Spec. It calls nobody yet: a service that cannot be reached fails the first Put.
// Fault: invalid_value (422).
func (e Env) Open(s Spec) (artefact.Destination, error) {
	switch s.Kind {
	case Local:
		return open(s, e.local)
	case S3:
		return open(s, e.s3)
	case SFTP:
		return open(s, e.sftp)
	case Messenger:
		return open(s, e.messenger)
	}
	return nil, fault.InvalidValue("kind", "a destination is local, s3, sftp or messenger")
}

func open[C any](s Spec, make func(Spec, C) (artefact.Destination, error)) (artefact.Destination, error) {
	var config C
	decoder := json.NewDecoder(strings.NewReader(cmp.Or(string(s.Config), "{}")))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&config); err != nil {
		return nil, fault.InvalidValue("config", "these are not the settings of a destination of this kind")
	}
	return make(s, config)
}

func wrong(field, message string) error { return fault.InvalidValue("config."+field, message) }

// check keeps a small file, reads it again and takes it away.
func check(ctx context.Context, at artefact.Destination) (err error) {
	random := make([]byte, 8)
	_, _ = rand.Read(random)
	file, content := "panel-check-"+hex.EncodeToString(random), []byte("the panel tries this place\n")
	if err := at.Put(ctx, file, bytes.NewReader(content)); err != nil {
		return fmt.Errorf("keep a file: %w", err)
	}
	defer func() {
		if removed := at.Remove(ctx, file); removed != nil && err == nil {
			err = fmt.Errorf("take a file away: %w", removed)
		}
	}()
	read, err := at.Open(ctx, file)
	if err != nil {
		return fmt.Errorf("read a file: %w", err)
	}
	defer read.Close()
	got, err := io.ReadAll(io.LimitReader(read, 1<<10))
	if err != nil {
		return fmt.Errorf("read a file: %w", err)
	}
	if !bytes.Equal(got, content) {
		return errOther
	}
	return nil
}

var errOther = errors.New("the place gave back another content than it was given")
