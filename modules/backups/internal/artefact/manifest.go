package artefact

import "time"

// Manifest describes an artefact. Its members are written to disks of others: members are only ever added.
type Manifest struct {
	Format       int         `json:"format"`
	Name         string      `json:"name"`
	CreatedAt    time.Time   `json:"created_at"`
	PanelVersion string      `json:"panel_version"`
	Server       int         `json:"postgresql"`     // major version of the database server
	Schema       []string    `json:"schema"`         // the applied migrations, in order
	SchemaSum    string      `json:"schema_version"` // the newest stamp and a digest of all
	KeyID        string      `json:"key_fingerprint"`
	Encryption   Mode        `json:"encryption"`
	Telemetry    Telemetry   `json:"telemetry"`
	Entries      []EntryInfo `json:"entries"`
	Tables       []Table     `json:"tables"`
}

// EntryInfo is one stream and its parts in order.
type EntryInfo struct {
	Name  Entry  `json:"name"`
	Parts []Part `json:"parts"`
}

// Part is one file.
type Part struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Table is what a restored table must hold.
type Table struct {
	Name string `json:"name"` // with its schema, "public.nodes"
	Rows int64  `json:"rows"`
	Sum  string `json:"sum"`
	// By is what the sum is of. Backups from before this field have sums of texts.
	By SumBy `json:"by,omitempty"`
	// Empty means that the dump has the table without its rows.
	Empty bool `json:"empty,omitempty"`
}

// SumBy is how rows are added up.
type SumBy string

const (
	// ByText hashes each row as the text that it is. It is fit for every table.
	ByText SumBy = ""
	// ByRecord hashes the values of each row, which takes a fifth of the time. PostgreSQL keeps these hashes the same
	// from version to version, because the partitions of tables depend on them.
	ByRecord SumBy = "record"
)

// Bytes is the size of the artefact without its manifest.
func (m *Manifest) Bytes() int64 {
	var sum int64
	for _, e := range m.Entries {
		for _, p := range e.Parts {
			sum += p.Bytes
		}
	}
	return sum
}

// Has tells whether the artefact has an entry.
func (m *Manifest) Has(name Entry) bool { return m.entry(name) != nil }

func (m *Manifest) entry(name Entry) *EntryInfo {
	for i := range m.Entries {
		if m.Entries[i].Name == name {
			return &m.Entries[i]
		}
	}
	return nil
}
