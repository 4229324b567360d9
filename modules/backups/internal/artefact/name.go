package artefact

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"panel/platform/pattern"
)

const (
	stamp       = "20060102t150405z"
	manifestEnd = ".manifest"
)

var (
	labels = pattern.Of(`^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$`)
	named  = pattern.Of(`^(panel-(\d{8}t\d{6}z)-[a-z0-9-]+-[0-9a-f]{8})\.(manifest|[a-z_]+\.\d{4,6})(\.part)?$`)
)

// newName is unique, sorts by time and is safe in every file system and address.
func newName(at time.Time, label string) (string, error) {
	if label == "" {
		label = "backup"
	}
	if !labels().MatchString(label) {
		return "", fmt.Errorf("name the backup: a label has small letters, digits and hyphens, at most 40")
	}
	random := make([]byte, 4)
	_, _ = rand.Read(random)
	return "panel-" + at.UTC().Format(stamp) + "-" + label + "-" + hex.EncodeToString(random), nil
}

func partFile(name string, entry Entry, number int) string {
	return fmt.Sprintf("%s.%s.%04d", name, entry, number)
}

// IsName tells whether a text can be the name of an artefact.
func IsName(text string) bool { return named().MatchString(text + manifestEnd) }

// split gives the artefact that a file belongs to and when that was begun; ok is false for files of others.
func split(file string) (name string, at time.Time, ok bool) {
	found := named().FindStringSubmatch(file)
	if found == nil {
		return "", at, false
	}
	at, err := time.Parse(stamp, found[2])
	return found[1], at, err == nil
}

func isManifest(file string) bool { return strings.HasSuffix(file, manifestEnd) }
