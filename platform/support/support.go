// Package support packs what somebody who helps needs to know about a panel into one file, with every password, token
// and key masked. It works with the panel and the database down.
package support

import (
	"context"
	"time"

	"panel/platform/doctor"
	"panel/platform/logs"
)

// Options say what goes into a bundle.
type Options struct {
	Env     doctor.Env     // the settings of the panel, as Doctor sees them
	Checks  []doctor.Check // asked anew; none leaves the last diagnosis as it was kept
	Places  logs.Places
	Since   time.Time // the logs from then on; zero means the last 24 hours
	Version string    // of this program
	Folder  string    // where to save; empty means the support folder of the data folder
	// ShowAddresses leaves public IP addresses as they are. Without it each gets a number, the same one everywhere.
	ShowAddresses bool
}

// Manifest lists what a bundle holds and counts what was masked in it. MANIFEST.json in the bundle is this document.
type Manifest struct {
	Schema    string    `json:"schema"` // panelctl.support/v1
	Host      string    `json:"host"`
	CreatedAt time.Time `json:"created_at"`
	Since     time.Time `json:"since"`
	Version   string    `json:"version"`
	Files     []File    `json:"files"`
	// Masked counts the masked values by kind: password, token, key, address, id.
	Masked  map[string]int `json:"masked"`
	Missing []Missing      `json:"missing"`
	Bytes   int64          `json:"bytes"` // of all files before compression
}

// File is one part of the bundle.
type File struct {
	Name   string         `json:"name"`
	Bytes  int64          `json:"bytes"`
	Source string         `json:"source,omitempty"` // where a log came from
	Masked map[string]int `json:"masked,omitempty"`
}

// Missing is a part that could not be had, and why.
type Missing struct {
	Name string `json:"name"`
	Why  string `json:"why"`

	Translations map[string]MissingWords `json:"translations" doc:"The texts in other languages, by the code of the language"`
}

// MissingWords are the texts about a missing part in another language than English.
type MissingWords struct {
	Why string `json:"why"`
}

// In gives the reason in a language.
func (m Missing) In(language string) string {
	if words, has := m.Translations[language]; has {
		return words.Why
	}
	return m.Why
}

// MaskedTotal is the number of all masked values.
func (m Manifest) MaskedTotal() int {
	total := 0
	for _, count := range m.Masked {
		total += count
	}
	return total
}

// Preview tells what Save would pack, without writing anything.
func Preview(ctx context.Context, o Options) (Manifest, error) {
	manifest, _, err := gather(ctx, o)
	return manifest, err
}
