package authority

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"

	"panel/platform/licensedoc"
)

// License is one sold license. The key itself is shown once, when it is issued.
type License struct {
	ID            string                  `json:"id"`
	KeyMasked     string                  `json:"key_masked"`
	Plan          string                  `json:"plan"`
	Features      []string                `json:"features"`
	ValidUntil    time.Time               `json:"valid_until"`
	Activations   int                     `json:"activations"`
	Note          string                  `json:"note,omitempty"`
	IssuedAt      time.Time               `json:"issued_at"`
	RevokedAt     *time.Time              `json:"revoked_at"`
	Installations map[string]Installation `json:"installations"`
}

// Installation is one panel that uses a license.
type Installation struct {
	KeyHash      string    `json:"key_hash"`
	ActivatedAt  time.Time `json:"activated_at"`
	SeenAt       time.Time `json:"seen_at"`
	PanelVersion string    `json:"panel_version,omitempty"`
	Offline      bool      `json:"offline,omitempty"`
}

// State is a word for lists: active, expired or revoked.
func (l License) State(now time.Time) string {
	switch {
	case l.RevokedAt != nil:
		return "revoked"
	case !now.Before(l.ValidUntil):
		return "expired"
	}
	return "active"
}

// Order is what a customer bought.
type Order struct {
	Plan        string    `json:"plan"`
	Features    []string  `json:"features,omitempty"`
	ValidUntil  time.Time `json:"valid_until"`
	Activations int       `json:"activations"`
	Note        string    `json:"note,omitempty"`
}

// Plans are the features of the plans on the price list.
var Plans = map[string][]string{
	"Start": {"backups", "flows", "notifications"},
	"Pro": {
		"abuse", "assistant", "backups", "cdndns", "flows", "geo", "health", "hosting", "notifications", "proxypanel",
		"statuspage",
	},
	"Fleet": {licensedoc.EveryFeature},
}

const (
	maxActivations = 100_000
	maxNote        = 200
)

func (o Order) prepared(now time.Time) (Order, error) {
	if len(o.Features) == 0 {
		o.Features = Plans[o.Plan]
	}
	o.Features = slices.Compact(slices.Sorted(slices.Values(o.Features)))
	o.ValidUntil = o.ValidUntil.UTC().Truncate(time.Millisecond)
	return o, o.check(now)
}

func (o Order) check(now time.Time) error {
	switch {
	case !licensedoc.ValidPlan(o.Plan):
		return fmt.Errorf("%w: the plan needs a name of letters, digits and spaces", ErrRequest)
	case len(o.Features) == 0:
		return fmt.Errorf("%w: the plan is not on the price list, so name its features", ErrRequest)
	case slices.ContainsFunc(o.Features, func(f string) bool { return !licensedoc.ValidFeature(f) }):
		return fmt.Errorf("%w: a feature is a lower-case word or *", ErrRequest)
	case !o.ValidUntil.After(now) || o.ValidUntil.Year() > 9999:
		return fmt.Errorf("%w: the validity must end in the future", ErrRequest)
	case o.Activations < 1 || o.Activations > maxActivations:
		return fmt.Errorf("%w: activations must be 1 to %d", ErrRequest, maxActivations)
	case len(o.Note) > maxNote:
		return fmt.Errorf("%w: the note is longer than %d bytes", ErrRequest, maxNote)
	}
	return nil
}

// Issue sells a license and gives its key, which cannot be shown again.
// Fault: ErrRequest.
func (a *Authority) Issue(order Order) (License, licensedoc.Key, error) {
	order, err := order.prepared(a.now())
	if err != nil {
		return License{}, licensedoc.Key{}, err
	}
	key, err := licensedoc.NewKey()
	if err != nil {
		return License{}, licensedoc.Key{}, err
	}
	hash, err := a.lookupHash(key)
	if err != nil {
		return License{}, licensedoc.Key{}, err
	}
	license := License{
		ID: uuid.Must(uuid.NewV7()).String(), KeyMasked: key.Masked(), Plan: order.Plan, Features: order.Features,
		ValidUntil: order.ValidUntil, Activations: order.Activations, Note: order.Note, IssuedAt: a.now(),
		Installations: map[string]Installation{},
	}
	return license, key, a.store.write(func(tx *bolt.Tx) error {
		return errors.Join(put(tx, licensesBucket, license.ID, license), put(tx, byKeyBucket, hash, license.ID))
	})
}

// List gives all licenses, oldest first.
func (a *Authority) List() ([]License, error) {
	licenses := []License{}
	return licenses, a.store.read(func(tx *bolt.Tx) error {
		return tx.Bucket(licensesBucket).ForEach(func(id, _ []byte) error {
			var l License
			err := get(tx, licensesBucket, string(id), &l)
			licenses = append(licenses, l)
			return err
		})
	})
}

// Revoke ends a license for good: from now on the authority refuses it.
// Fault: ErrNotFound.
func (a *Authority) Revoke(id string) (License, error) {
	return a.change(id, func(l *License) {
		if l.RevokedAt == nil {
			now := a.now()
			l.RevokedAt = &now
		}
	})
}

// Extend moves the end of a license.
// Faults: ErrNotFound, ErrRequest.
func (a *Authority) Extend(id string, until time.Time) (License, error) {
	until = until.UTC().Truncate(time.Millisecond)
	if until.Year() > 9999 || until.Year() < 2000 {
		return License{}, fmt.Errorf("%w: the date is out of range", ErrRequest)
	}
	return a.change(id, func(l *License) { l.ValidUntil = until })
}

// Forget frees the place that an installation takes.
// Fault: ErrNotFound.
func (a *Authority) Forget(id, instance string) (License, error) {
	return a.change(id, func(l *License) { delete(l.Installations, instance) })
}

func (a *Authority) change(id string, edit func(*License)) (License, error) {
	var l License
	return l, a.store.write(func(tx *bolt.Tx) error {
		if err := get(tx, licensesBucket, id, &l); err != nil {
			return err
		}
		edit(&l)
		return put(tx, licensesBucket, id, l)
	})
}
