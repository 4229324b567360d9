package artefact

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"panel/platform/vault"
)

const (
	format          = 1
	largestManifest = 32 << 20
	sealPurpose     = "panel/backups/manifest/v1\n"
)

// proof is the second line of a manifest's file. Its digest shows that the first line is whole; its seal, made with the
// panel's master key, shows that a panel with that key wrote it.
type proof struct {
	SHA256 string `json:"sha256"`
	KeyID  string `json:"key_fingerprint"`
	Seal   string `json:"seal"`
}

// encode gives the manifest's file: the description on one line, its proof on the next.
func encode(m *Manifest, safe *vault.Vault) ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("describe the backup: %w", err)
	}
	proved, err := json.Marshal(proofOf(body, safe))
	if err != nil {
		return nil, fmt.Errorf("seal the description of the backup: %w", err)
	}
	return slices.Concat(body, []byte("\n"), proved, []byte("\n")), nil
}

func proofOf(body []byte, safe *vault.Vault) proof {
	sum := sha256.Sum256(body)
	return proof{
		SHA256: hex.EncodeToString(sum[:]), KeyID: safe.KeyID(),
		Seal: hex.EncodeToString(safe.Digests(append([]byte(sealPurpose), body...))[0]),
	}
}

// decode reads a manifest's file that must be that of the artefact name. A file of which any byte was changed is
// ErrDamaged; the seal counts when one of the keys is the one it was made with.
func decode(file []byte, name string, masters []string) (Listed, error) {
	body, rest, found := bytes.Cut(file, []byte("\n"))
	line, end, ended := bytes.Cut(rest, []byte("\n"))
	var p proof
	if !found || !ended || len(end) > 0 || json.Unmarshal(line, &p) != nil {
		return Listed{}, damaged(name, "its description cannot be read")
	}
	sum := sha256.Sum256(body)
	again, err := json.Marshal(p)
	if err != nil || !bytes.Equal(again, line) || p.SHA256 != hex.EncodeToString(sum[:]) {
		return Listed{}, damaged(name, "its description was changed")
	}
	m := &Manifest{}
	if json.Unmarshal(body, m) != nil || m.Name != name || m.KeyID != p.KeyID {
		return Listed{}, damaged(name, "its description belongs to another one")
	}
	if m.Format != format {
		return Listed{}, fmt.Errorf("the backup %s was written by a newer panel: install that version first", name)
	}
	authentic, err := sealed(body, p, masters)
	if err != nil {
		return Listed{}, damaged(name, "its description was not sealed by the panel with this master key")
	}
	return Listed{Manifest: m, Authentic: authentic}, m.check()
}

var errSeal = errors.New("the seal is another one")

// sealed proves the seal with the key that it names; false means that this key was not given.
func sealed(body []byte, p proof, masters []string) (bool, error) {
	for _, master := range masters {
		safe, err := vault.New(master)
		if err != nil || safe.KeyID() != p.KeyID {
			continue
		}
		if !hmac.Equal([]byte(proofOf(body, safe).Seal), []byte(p.Seal)) {
			return false, errSeal
		}
		return true, nil
	}
	if _, err := hex.DecodeString(p.Seal); err != nil || len(p.Seal) != 2*sha256.Size {
		return false, errSeal
	}
	return false, nil
}

func damaged(name, reason string) error {
	return fmt.Errorf("the backup %s cannot be used: %s: %w", name, reason, ErrDamaged)
}

// check refuses a description that no panel writes, so that readers can rely on it.
func (m *Manifest) check() error {
	if !m.Has(Database) {
		return damaged(m.Name, "it has no database")
	}
	for _, e := range m.Entries {
		for i, p := range e.Parts {
			if p.File != partFile(m.Name, e.Name, i+1) || len(p.SHA256) != 2*sha256.Size || p.Bytes < 0 {
				return damaged(m.Name, "its parts are not in order")
			}
		}
		if len(e.Parts) == 0 {
			return damaged(m.Name, "it has an entry without parts")
		}
	}
	return nil
}
