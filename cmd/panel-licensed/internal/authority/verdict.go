package authority

import (
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"panel/platform/licensedoc"
)

// question is a request that has passed its checks.
type question struct {
	licensedoc.Request
	lookup, keyHash string
	offline         bool
}

// Activate binds the installation to the license and signs the verdict, also a bad one.
// Faults: ErrRequest, ErrBusy; a refusal is no fault.
func (a *Authority) Activate(r licensedoc.Request) (string, licensedoc.Document, error) {
	return a.decide(r, a.admit)
}

// Refresh signs the verdict for an installation that was activated before.
// Faults: ErrRequest, ErrBusy; a refusal is no fault.
func (a *Authority) Refresh(r licensedoc.Request) (string, licensedoc.Document, error) {
	return a.decide(r, a.recognise)
}

// Release gives back the place of an installation; an unknown one is no fault.
// Faults: ErrRequest, ErrBusy.
func (a *Authority) Release(r licensedoc.Request) error {
	q, err := a.question(r)
	if err != nil {
		return err
	}
	return a.store.write(func(tx *bolt.Tx) error {
		license, err := find(tx, q.lookup)
		if err != nil || license == nil {
			return err
		}
		delete(license.Installations, q.InstanceID)
		return put(tx, licensesBucket, license.ID, license)
	})
}

// Offline signs a document that is carried to a panel by hand and asks nobody again.
// Faults: ErrRequest, also when the license is refused; ErrBusy.
func (a *Authority) Offline(key, instance string) (string, error) {
	q, err := a.question(licensedoc.Request{Key: key, InstanceID: instance, Nonce: "offline-document"})
	if err != nil {
		return "", err
	}
	q.offline, q.Nonce = true, ""
	text, d, err := a.answer(q, a.admit)
	if err == nil && d.Verdict == licensedoc.Refused {
		return "", fmt.Errorf("%w: the license is refused: %s", ErrRequest, d.Reason)
	}
	return text, err
}

// check gives the reason of a refusal, or nothing and perhaps a changed license.
type check func(l *License, q question) (reason string, changed bool)

func (a *Authority) decide(r licensedoc.Request, judge check) (string, licensedoc.Document, error) {
	q, err := a.question(r)
	if err != nil {
		return "", licensedoc.Document{}, err
	}
	return a.answer(q, judge)
}

func (a *Authority) question(r licensedoc.Request) (question, error) {
	key, err := licensedoc.ParseKey(r.Key)
	if err != nil {
		return question{}, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	if !licensedoc.ValidInstanceID(r.InstanceID) || !licensedoc.ValidNonce(r.Nonce) || len(r.PanelVersion) > 64 {
		return question{}, fmt.Errorf("%w: instance_id, nonce or panel_version", ErrRequest)
	}
	lookup, errLookup := a.lookupHash(key)
	keyHash, errHash := a.hash(key, r.InstanceID)
	return question{Request: r, lookup: lookup, keyHash: keyHash}, errors.Join(errLookup, errHash)
}

func (a *Authority) answer(q question, judge check) (text string, d licensedoc.Document, err error) {
	var s signer
	err = a.store.write(func(tx *bolt.Tx) (err error) {
		if s, err = currentSigner(tx); err != nil {
			return err
		}
		d, err = a.judged(tx, q, judge)
		return err
	})
	if err != nil {
		return "", d, err
	}
	if q.offline && d.Verdict == licensedoc.Refused {
		return "", d, nil
	}
	text, err = s.sign(d)
	return text, d, err
}

func (a *Authority) judged(tx *bolt.Tx, q question, judge check) (licensedoc.Document, error) {
	license, err := find(tx, q.lookup)
	if err != nil {
		return licensedoc.Document{}, err
	}
	if license == nil {
		return a.refusal(License{}, q, licensedoc.ReasonUnknownKey), nil
	}
	reason, changed := judge(license, q)
	if reason != "" {
		return a.refusal(*license, q, reason), nil
	}
	if changed {
		err = put(tx, licensesBucket, license.ID, license)
	}
	return a.approval(*license, q), err
}

// find gives nil for a key that the authority has never issued.
func find(tx *bolt.Tx, lookup string) (*License, error) {
	var id string
	var license License
	if err := get(tx, byKeyBucket, lookup, &id); errors.Is(err, errNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return &license, get(tx, licensesBucket, id, &license)
}

func (a *Authority) admit(l *License, q question) (string, bool) {
	if reason := a.endedBecause(l); reason != "" {
		return reason, false
	}
	if _, known := l.Installations[q.InstanceID]; !known && len(l.Installations) >= l.Activations {
		return licensedoc.ReasonActivations, false
	}
	l.Installations[q.InstanceID] = Installation{q.keyHash, a.now(), a.now(), q.PanelVersion, q.offline}
	return "", true
}

// recognise notes an installation's life once a day, not at every question.
func (a *Authority) recognise(l *License, q question) (string, bool) {
	if reason := a.endedBecause(l); reason != "" {
		return reason, false
	}
	known, ok := l.Installations[q.InstanceID]
	if !ok {
		return licensedoc.ReasonReleased, false
	}
	stale := a.now().Sub(known.SeenAt) >= 24*time.Hour || known.PanelVersion != q.PanelVersion
	if stale {
		known.SeenAt, known.PanelVersion = a.now(), q.PanelVersion
		l.Installations[q.InstanceID] = known
	}
	return "", stale
}

func (a *Authority) endedBecause(l *License) string {
	switch l.State(a.now()) {
	case "revoked":
		return licensedoc.ReasonRevoked
	case "expired":
		return licensedoc.ReasonExpired
	}
	return ""
}

func (a *Authority) approval(l License, q question) licensedoc.Document {
	return licensedoc.Document{
		LicenseID: l.ID, KeyHash: q.keyHash, InstanceID: q.InstanceID, Plan: l.Plan, Features: l.Features,
		ValidUntil: l.ValidUntil, IssuedAt: a.now(), Verdict: licensedoc.Active, Nonce: q.Nonce,
	}
}

func (a *Authority) refusal(l License, q question, reason string) licensedoc.Document {
	return licensedoc.Document{
		LicenseID: l.ID, KeyHash: q.keyHash, InstanceID: q.InstanceID, Plan: l.Plan, Features: []string{},
		ValidUntil: l.ValidUntil, IssuedAt: a.now(), Verdict: licensedoc.Refused, Reason: reason, Nonce: q.Nonce,
	}
}
