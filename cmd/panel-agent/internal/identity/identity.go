// Package identity keeps who this agent is: its node id, its token and the panel's address, in its data folder.
package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"panel/cmd/panel-agent/internal/disk"
)

const file = "identity.json"

// Token prints as stars wherever it is formatted.
type Token string

// String hides the token.
func (Token) String() string { return "***" }

// GoString hides the token.
func (Token) GoString() string { return "***" }

// Identity is what enrolment gave.
type Identity struct {
	NodeID   string `json:"node_id"`
	Token    Token  `json:"agent_token"`
	Former   Token  `json:"former_agent_token,omitempty"` // from before the last rotation
	PanelURL string `json:"panel_url"`
}

// ErrNotEnrolled says that the data folder holds no identity.
var ErrNotEnrolled = errors.New("this agent is not enrolled: run `panel-agent enroll` with an enrollment token " +
	"from the panel")

// Load reads the identity. Faults: ErrNotEnrolled.
func Load(dataDir string) (Identity, error) {
	var id Identity
	found, err := disk.ReadJSON(filepath.Join(dataDir, file), &id)
	if err != nil {
		return Identity{}, err
	}
	if !found || id.NodeID == "" || id.Token == "" {
		return Identity{}, ErrNotEnrolled
	}
	return id, nil
}

// Save writes the identity so that only the owner can read it and a crash leaves the old or the new one.
func Save(dataDir string, id Identity) error {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	return disk.WriteJSON(filepath.Join(dataDir, file), id)
}

// CleanURL checks the panel's address and removes a trailing slash. A user or a query in it is refused:
// secrets do not belong into an address.
func CleanURL(raw string) (string, error) {
	parsed, err := url.Parse(strings.TrimRight(strings.TrimSpace(raw), "/"))
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return "", errors.New("the panel's address is wrong: give it as https://panel.example.com")
	}
	if parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return "", errors.New("the panel's address must carry neither a user nor a query")
	}
	return parsed.String(), nil
}

// MachineID is a digest of the server's machine id, so that the id itself stays on the server. Empty where there is
// none.
func MachineID() string {
	raw, err := os.ReadFile("/etc/machine-id")
	text := strings.TrimSpace(string(raw))
	if err != nil || text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("panel-agent/" + text))
	return hex.EncodeToString(sum[:16])
}
