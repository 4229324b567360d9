package license

import (
	"context"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/licensedoc"
)

var errMissing = fault.Conflict("license_missing", "there is no license to check; activate one first")

// Activate replaces the license by the one of the key, or by an offline document.
// Faults: license_key_invalid, license_server_error, license_server_timeout; the old
// license stays in all of them.
func (s *service) Activate(ctx context.Context, secret string) (Status, error) {
	if err := s.begin(ctx); err != nil {
		return Status{}, err
	}
	defer s.end()
	before := s.look()
	got, err := s.obtain(ctx, secret, before)
	if err != nil {
		s.journalFailure(ctx, kindActivated, before, fault.Code(err))
		return Status{}, err
	}
	r, err := s.replace(ctx, got, before)
	if err != nil {
		return Status{}, err
	}
	s.queueRelease(before, got.key)
	return s.after(r), nil
}

// obtained is a good license that is not kept yet; an offline one has no key.
type obtained struct {
	signed
	key licensedoc.Key
}

func (s *service) obtain(ctx context.Context, secret string, before *snapshot) (obtained, error) {
	if licensedoc.LooksSigned(secret) {
		return s.carried(secret, before)
	}
	key, err := licensedoc.ParseKey(secret)
	if err != nil {
		return obtained{}, invalidKey(err.Error())
	}
	answer, err := s.client.ask(ctx, licensedoc.ActivatePath, key, before.InstanceID)
	var failure *temporary
	switch {
	case errors.As(err, &failure):
		return obtained{}, unreachable(failure)
	case err != nil:
		return obtained{}, err
	case answer.document.Verdict == licensedoc.Refused:
		return obtained{}, invalidKey(refusals[answer.document.Reason]).With("reason", answer.document.Reason)
	}
	return obtained{answer, key}, nil
}

var errOutdated = invalidKey("a newer document of this license is already known")

// carried reads an offline document. One that is older than what this installation
// already knows of the same license is a way around a refusal, and is not taken.
func (s *service) carried(text string, before *snapshot) (obtained, error) {
	d, err := licensedoc.Verify(text, s.client.trusted...)
	switch {
	case err != nil:
		return obtained{}, invalidKey(err.Error())
	case d.InstanceID != before.InstanceID:
		return obtained{}, invalidKey("the document was made for another installation; this one is " +
			before.InstanceID)
	case !d.Offline() || d.Verdict != licensedoc.Active:
		return obtained{}, invalidKey("the document is no offline license")
	case before.Known.with(before.document).outdated(&d):
		return obtained{}, errOutdated
	case !d.ValidUntil.After(s.clock.Now()):
		return obtained{}, invalidKey("the document has expired")
	}
	return obtained{signed: signed{text: text, document: d}}, nil
}

var refusals = map[string]string{
	licensedoc.ReasonUnknownKey:  "the license server does not know this key",
	licensedoc.ReasonRevoked:     "the license was revoked",
	licensedoc.ReasonExpired:     "the license has expired",
	licensedoc.ReasonActivations: "the license is already used on as many panels as it allows",
	licensedoc.ReasonReleased:    "the license is not activated for this installation",
}

func invalidKey(why string) *fault.Fault {
	if why == "" {
		why = "the license server refused it"
	}
	return fault.Invalid("license_key_invalid", "the license was not activated: "+why).
		Field("license_key", "license_key_invalid", why)
}

func unreachable(failure *temporary) *fault.Fault {
	if failure.timeout {
		return fault.UpstreamTimeout("license_server_timeout",
			"the license server did not answer in time; nothing was changed, try again").
			Wrap(failure)
	}
	return fault.Upstream("license_server_error",
		"the license server gave no usable answer ("+failure.summary+"); nothing was changed").
		Wrap(failure)
}

func (s *service) replace(ctx context.Context, got obtained, before *snapshot) (row, error) {
	s.timeFrom(got.signed)
	now := s.clock.Now()
	return s.keep(ctx, func(ctx context.Context, tx bun.Tx, r row) (row, bool, error) {
		current := s.understand(r)
		if got.document.Offline() && r.Known.with(current.document).outdated(&got.document) {
			return r, false, errOutdated
		}
		next := current.answered(now, got.signed)
		next.SealedKey, next.KeyMasked, next.AnnouncedState, next.WarnedDays = "", got.key.Masked(),
			entitlement.Active, 0
		next.ClockAt = now
		if !got.key.IsZero() {
			next.SealedKey = s.vault.Seal(next.place(), []byte(got.key.Reveal()))
		}
		next.NextCheckAt = s.nextCheck(&snapshot{row: next, document: &got.document}, now)
		if err := s.questions.Wake(ctx, next.InstanceID); err != nil {
			return r, false, err
		}
		return next, true, s.recordChange(ctx, tx, kindActivated, before, s.understand(next))
	})
}

// after is the status that a change leads to.
func (s *service) after(r row) Status {
	status := s.Status()
	status.Unconfirmed = r.unconfirmed != nil
	return status
}

// timeFrom takes the authority's time: fresh answers set the clock, carried ones raise it.
func (s *service) timeFrom(answer signed) {
	if answer.document.Offline() {
		s.clock.AtLeast(answer.document.IssuedAt)
		return
	}
	s.clock.Anchor(answer.document.IssuedAt)
}

// Refresh asks the license server now. A server that does not answer and a signed
// refusal are no faults: the status tells. Fault: license_missing.
func (s *service) Refresh(ctx context.Context) (Status, error) {
	if s.look().document == nil {
		return Status{}, errMissing
	}
	r, err := s.check(ctx)
	if err != nil {
		return Status{}, err
	}
	return s.after(r), nil
}

// Remove takes the license from this installation; the panel is read-only from then on.
func (s *service) Remove(ctx context.Context) (Status, error) {
	if err := s.begin(ctx); err != nil {
		return Status{}, err
	}
	defer s.end()
	before, now := s.look(), s.clock.Now()
	r, err := s.keep(ctx, func(ctx context.Context, tx bun.Tx, r row) (row, bool, error) {
		next := row{
			Singleton: true, InstanceID: r.InstanceID, RemovedAt: &now, AnnouncedState: entitlement.Degraded,
			ClockAt: now,
		}
		next.Known = r.Known.with(s.understand(r).document)
		return next, true, s.recordChange(ctx, tx, kindRemoved, before, s.understand(next))
	})
	if err != nil {
		return Status{}, err
	}
	s.queueRelease(before, licensedoc.Key{})
	return s.after(r), nil
}

// queueRelease queues the place of a license that was replaced or removed.
func (s *service) queueRelease(before *snapshot, taken licensedoc.Key) {
	if !before.checkable() {
		return
	}
	key, err := s.key(before)
	if err != nil || key == taken {
		return
	}
	select {
	case s.given <- release{key, before.InstanceID}:
	default:
	}
	s.wakeWatch()
}

func (s *service) key(k *snapshot) (licensedoc.Key, error) {
	plain, err := s.vault.Open(k.place(), k.SealedKey)
	if err != nil {
		return licensedoc.Key{}, fmt.Errorf("opening the license key: %w", err)
	}
	return licensedoc.ParseKey(string(plain))
}
