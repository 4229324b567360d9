package release

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"
)

// Key signs releases. It is the publisher's: no panel and no agent ever holds one.
type Key struct{ private minisign.PrivateKey }

// NewKey makes a key from the system's randomness.
func NewKey() (Key, error) {
	_, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		return Key{}, fmt.Errorf("make a signing key: %w", err)
	}
	return Key{private}, nil
}

// LoadKey reads a minisign secret key file; password opens a sealed one.
func LoadKey(path, password string) (Key, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Key{}, fmt.Errorf("read the signing key: %w", err)
	}
	var k Key
	if minisign.IsEncrypted(text) {
		k.private, err = minisign.DecryptKey(password, text)
	} else {
		err = k.private.UnmarshalText(text)
	}
	if err != nil {
		return Key{}, fmt.Errorf("open the signing key %s: %w", path, err)
	}
	return k, nil
}

// Save writes the key for LoadKey and for the minisign program, sealed with password. Sealing takes a gigabyte of
// memory on purpose; without a password the file lies open to its owner, for a build machine that guards it by other
// means.
func (k Key) Save(path, password string) error {
	text, err := k.private.MarshalText()
	if password != "" {
		text, err = minisign.EncryptKey(password, k.private)
	}
	if err != nil {
		return fmt.Errorf("encode the signing key: %w", err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return fmt.Errorf("write the signing key: %w", err)
	}
	return nil
}

// Public is the line that installations trust, as minisign prints it.
func (k Key) Public() string {
	public, ok := k.private.Public().(minisign.PublicKey)
	if !ok {
		return ""
	}
	text, err := public.MarshalText()
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// String keeps the key out of logs.
func (Key) String() string { return "signing key ***" }

// Sign gives the signature file of a manifest.
func (k Key) Sign(manifest []byte) []byte {
	return minisign.SignWithComments(k.private, manifest, schema, "signature of a Panel release manifest")
}

// Write signs m and puts it with its signature into folder, as manifest.json and manifest.json.minisig; it answers the
// path of the manifest, which Open takes.
func (k Key) Write(folder string, m Manifest) (string, error) {
	m.Schema = schema
	if err := m.check(); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode the manifest: %w", err)
	}
	path := filepath.Join(folder, ManifestFile)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return "", fmt.Errorf("write the manifest: %w", err)
	}
	if err := os.WriteFile(path+suffix, k.Sign(text), 0o644); err != nil {
		return "", fmt.Errorf("write the signature: %w", err)
	}
	return path, nil
}

// Add names a file beside the manifest as program for platform, with its size and checksum.
func (m *Manifest) Add(program, platform, path string) error {
	sum, size, err := sumOf(path)
	if err != nil {
		return err
	}
	if m.Artefacts == nil {
		m.Artefacts = map[string]map[string]Artefact{}
	}
	if m.Artefacts[program] == nil {
		m.Artefacts[program] = map[string]Artefact{}
	}
	m.Artefacts[program][platform] = Artefact{URL: filepath.Base(path), SHA256: sum, Size: size}
	return nil
}
