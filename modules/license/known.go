package license

import (
	"maps"
	"time"

	"panel/platform/licensedoc"
)

// statement is the newest that the authority has signed about a license.
type statement struct {
	IssuedAt time.Time `json:"issued_at"`
	Refused  bool      `json:"refused"`
}

// statements are kept for each license by its id, also after it was removed from this installation.
type statements map[string]statement

// with adds what a document says, when it is the newest about its license.
func (w statements) with(d *licensedoc.Document) statements {
	if d == nil || d.LicenseID == "" || d.IssuedAt.Before(w[d.LicenseID].IssuedAt) {
		return w
	}
	next := maps.Clone(w)
	if next == nil {
		next = statements{}
	}
	next[d.LicenseID] = statement{IssuedAt: d.IssuedAt, Refused: d.Verdict == licensedoc.Refused}
	return next
}

// join takes the newest of both about each license.
func (w statements) join(other statements) statements {
	next := maps.Clone(w)
	for id, said := range other {
		if next == nil {
			next = statements{}
		}
		if said.IssuedAt.After(next[id].IssuedAt) {
			next[id] = said
		}
	}
	return next
}

// outdated tells whether something newer was said about the document's license.
func (w statements) outdated(d *licensedoc.Document) bool {
	return d.IssuedAt.Before(w[d.LicenseID].IssuedAt)
}

// withdrawn tells whether the document's license was refused after the document was signed.
func (w statements) withdrawn(d *licensedoc.Document) bool {
	return w[d.LicenseID].Refused && w.outdated(d)
}

// equal compares moments, whatever zone they were read in.
func (w statements) equal(other statements) bool {
	return maps.EqualFunc(w, other, func(a, b statement) bool {
		return a.Refused == b.Refused &&
			a.IssuedAt.Equal(b.IssuedAt)
	})
}
