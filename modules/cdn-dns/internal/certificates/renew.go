package certificates

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/mholt/acmez/v3/acme"

	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// DueKind is the job that looks at all certificates.
const DueKind = "cdndns.certificates_due"

type dueArgs struct{}

// Kind names the worker.
func (dueArgs) Kind() string { return DueKind }

// Schedule looks for what is due every five minutes. Renewals go on while the panel is read-only and without the
// feature: clients must not lose their connection over a license.
func Schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: DueKind, Cron: "*/5 * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return dueArgs{} },
	}
}

// Due warns of what expires, asks the authority when to renew, orders what is due and removes what was left behind.
// What waits for others comes after the warning, and each of them for a bounded time: an authority that hangs silences
// no alarm and holds no renewal up.
func (e *Engine) Due(ctx context.Context) error {
	return errors.Join(e.warnAll(ctx), e.askAll(ctx), e.renewAll(ctx), e.sweep(ctx))
}

// Worker runs Due.
func (e *Engine) Worker() jobs.Worker {
	look := func(ctx context.Context, _ jobs.Job, _ dueArgs) error { return e.Due(ctx) }
	return jobs.Worker{Kind: DueKind, Attempts: 3, Timeout: dueWithin, Work: jobs.Do(look)}
}

const (
	dueWithin = 5 * time.Minute
	// mostAtOnce bounds one look; the rest is due at the next one.
	mostAtOnce = 200
)

func (e *Engine) due(ctx context.Context, which string) (ids []string, err error) {
	err = e.DB.In(ctx).NewRaw("select id from certificates where "+which+" order by not_after nulls first, id limit ?1",
		e.now(), mostAtOnce).Scan(ctx, &ids)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("look for due certificates: %w", err), nil)
	}
	return ids, nil
}

// each locks one certificate after the other in a transaction of its own, so that one that fails holds no other.
func (e *Engine) each(ctx context.Context, which string, act func(ctx context.Context, r *row) error) error {
	ids, err := e.due(ctx, which)
	problems := []error{err}
	for _, id := range ids {
		problems = append(problems, e.DB.InTx(ctx, func(ctx context.Context) error {
			r, err := e.read(ctx, id, true)
			if fault.KindOf(err) == fault.KindMissing {
				return nil
			}
			if err != nil {
				return err
			}
			return act(ctx, r)
		}))
	}
	return errors.Join(problems...)
}

// renewAll orders renewals that are due, and again what failed and has waited long enough. An order that the budget has
// no place for waits until there is one.
func (e *Engine) renewAll(ctx context.Context) error {
	authority, err := e.Settings(ctx)
	if err != nil {
		return err
	}
	const due = "source = 'authority' and (renew_at <= ?0 or not_after is null and failures > 0) and (retry_at is null or retry_at <= ?0)"
	return e.each(ctx, due, func(ctx context.Context, r *row) error {
		if now := e.now(); r.Ordered || toCome(r.HoldUntil, now) || toCome(r.RetryAt, now) {
			return nil
		}
		err := e.begin(ctx, r, authority.Directory)
		if said, refused := fault.As(err); refused && said.Code == codeBudget {
			return e.postpone(ctx, r, said.Detail, e.now().Add(said.RetryAfter))
		}
		return err
	})
}

// toCome tells whether a moment is still to come.
func toCome(at *time.Time, now time.Time) bool { return at != nil && at.After(now) }

// warnAll tells people once of each certificate that expires soon, whoever renews it.
func (e *Engine) warnAll(ctx context.Context) error {
	const due = `warned_at is null and not_after - least(interval '14 days', (not_after - not_before) / 6) <= ?0`
	return e.each(ctx, due, func(ctx context.Context, r *row) error {
		now := e.now()
		if r.WarnedAt != nil || r.NotAfter == nil || warnFrom(*r.NotBefore, *r.NotAfter).After(now) {
			return nil
		}
		r.WarnedAt = &now
		if err := e.write(ctx, r, "warned_at"); err != nil {
			return err
		}
		news := News{Names: r.Names, Issuer: r.Issuer, NotAfter: *r.NotAfter, Error: r.LastError}
		entry := audit.Entry{Action: KindExpiring, Object: r.object()}
		if err := e.Journal.Record(ctx, e.DB.In(ctx), entry); err != nil {
			return err
		}
		return e.Bus.Emit(ctx, events.Event{Kind: KindExpiring, SubjectID: r.ID, At: now, Data: news})
	})
}

const (
	// askEvery is when the authority is asked again when to renew, where it does not say so itself.
	askEvery = 6 * time.Hour
	// answerWithin is how long it may take to answer for one certificate, askWithin for all of one look.
	answerWithin = 5 * time.Second
	askWithin    = time.Minute
)

// askAll asks the authority when certificates are to be renewed: it may want that earlier than usual, above all when it
// is about to revoke them. While it does not answer, one certificate is asked about at each look; the rest stay due.
func (e *Engine) askAll(ctx context.Context) error {
	ids, err := e.due(ctx, "source = 'authority' and ask_at <= ?0")
	if err != nil || len(ids) == 0 {
		return err
	}
	authority, err := e.Settings(ctx)
	if err != nil {
		return err
	}
	l, err := e.client(authority)
	if err != nil {
		return err
	}
	patience, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	var problems []error
	for _, id := range ids {
		heard, err := e.ask(ctx, l, id)
		problems = append(problems, err)
		if !heard || patience.Err() != nil {
			break
		}
	}
	return errors.Join(problems...)
}

// ask stores when the authority wants a certificate renewed. It gives false when the authority has not answered.
func (e *Engine) ask(ctx context.Context, l *link, id string) (heard bool, err error) {
	r, err := e.read(ctx, id, false)
	if fault.KindOf(err) == fault.KindMissing {
		return true, nil // it was removed meanwhile
	}
	if err != nil {
		return true, err
	}
	leaf, err := leafOf(r.Chain)
	if err != nil {
		return true, err
	}
	info, heard, err := l.renewal(ctx, leaf)
	again, usual := e.now().Add(askEvery), thirdLeft(*r.NotBefore, *r.NotAfter)
	renew := &usual
	if err == nil {
		renew = renewWithin(r, info)
		if info.RetryAfter != nil && info.RetryAfter.After(e.now()) {
			again = *info.RetryAfter
		}
	} else if r.RenewAt != nil && r.RenewAt.Before(usual) {
		renew = r.RenewAt // what it said before
	}
	return heard, e.DB.InTx(ctx, func(ctx context.Context) error {
		now, err := e.read(ctx, id, true)
		if err != nil || now.Fingerprint != r.Fingerprint {
			return err
		}
		now.RenewAt, now.AskAt = renew, &again
		return e.write(ctx, now, "renew_at", "ask_at")
	})
}

// renewWithin is the moment of a renewal within the window that the authority proposes. It stays the one that was
// chosen before as long as the window allows that, and is never later than the warning to people.
func renewWithin(r *row, info acme.RenewalInfo) *time.Time {
	window := info.SuggestedWindow
	at := info.SelectedTime
	if r.RenewAt != nil && !r.RenewAt.Before(window.Start) && !r.RenewAt.After(window.End) {
		at = *r.RenewAt
	}
	if latest := warnFrom(*r.NotBefore, *r.NotAfter); at.After(latest) {
		at = latest
	}
	at = at.UTC()
	return &at
}

// renewal asks when to renew. It gives false when nothing came back in time.
func (l *link) renewal(ctx context.Context, leaf *x509.Certificate) (info acme.RenewalInfo, heard bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if _, err := l.GetDirectory(ctx); err != nil {
		return info, false, err
	}
	before := l.answers.received()
	info, err = l.GetRenewalInfo(ctx, leaf)
	return info, err == nil || errors.Is(err, acme.ErrUnsupported) || l.answers.received() > before, err
}

func leafOf(chain string) (*x509.Certificate, error) {
	block, _ := pem.Decode([]byte(chain))
	if block == nil {
		return nil, errors.New("read a stored certificate: it is no PEM")
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read a stored certificate: %w", err)
	}
	return leaf, nil
}
