package certificates

import (
	"context"
	"time"

	"panel/platform/audit"
	"panel/platform/fault"
	"panel/platform/lease"
)

// Pauses after failed orders: each doubles the one before. An authority forgives five failed proofs an hour.
const (
	shortestPause = 15 * time.Minute
	longestPause  = 24 * time.Hour
)

func pauseAfter(failures int) time.Duration {
	const doublings = 10 // more than enough for the longest pause, too few to overflow
	return min(shortestPause<<min(max(failures-1, 0), doublings), longestPause)
}

// failed ends an order. The certificate that is there stays in use, and the next order waits: for the pause after so
// many failures, and as long as the authority asked for.
func (e *Engine) failed(ctx context.Context, c *lease.Claim, o *order, cause error, hold time.Time) error {
	e.withdraw(ctx, c, o)
	return c.InTx(ctx, func(ctx context.Context) error { return e.fail(ctx, o, describe(cause), hold) })
}

// giveUp ends an order whose steps fail again and again.
func (e *Engine) giveUp(ctx context.Context, c *lease.Claim, cause error) error {
	o, err := e.order(ctx, c.ID)
	if err != nil {
		return err
	}
	return e.fail(ctx, o, cause.Error(), time.Time{})
}

func (e *Engine) fail(ctx context.Context, o *order, reason string, hold time.Time) error {
	if o.Stage != stageSigning || hold.After(e.now()) {
		o.AskedAt = nil // nothing was signed
	}
	if err := e.end(ctx, o, stageFailed, reason); err != nil || o.CertificateID == nil {
		return err
	}
	r, err := e.read(ctx, *o.CertificateID, true)
	if fault.KindOf(err) == fault.KindMissing {
		return nil
	}
	if err != nil {
		return err
	}
	return e.postpone(ctx, r, reason, hold)
}

// postpone writes a failure on a certificate and tells people.
func (e *Engine) postpone(ctx context.Context, r *row, reason string, hold time.Time) error {
	r.Failures++
	next := e.now().Add(pauseAfter(r.Failures))
	if hold.After(next) {
		next = hold
	}
	r.LastError, r.RetryAt, r.HoldUntil = reason, &next, nil
	if hold.After(e.now()) {
		r.HoldUntil = &hold
	}
	if err := e.write(ctx, r, "failures", "last_error", "retry_at", "hold_until"); err != nil {
		return err
	}
	news := News{Names: r.Names, Issuer: r.Issuer, Error: reason, NextTry: next}
	if r.NotAfter != nil {
		news.NotAfter = *r.NotAfter
	}
	return e.publish(ctx, r, KindFailed, audit.Failed, news)
}
