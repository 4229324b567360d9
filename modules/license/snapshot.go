package license

import (
	"time"

	"panel/platform/entitlement"
	"panel/platform/licensedoc"
)

// The reasons of the states.
const (
	reasonOK          = "ok"
	reasonNone        = "none"
	reasonExpired     = "expired"
	reasonRefused     = "refused"
	reasonRemoved     = "removed"
	reasonUnreachable = "unreachable"
)

// snapshot is all that this installation knows about its license. It never changes once
// it is published; document is nil without a license.
type snapshot struct {
	row
	document         *licensedoc.Document
	enabled, blocked []string
}

// verdict is what the stored license means at a moment.
type verdict struct{ state, reason string }

// judge is the whole state machine. Entitlement follows the stored document, never the
// outcome of the latest check alone; time is the trusted one, which no clock set back
// can slow.
func (k *snapshot) judge(now time.Time, grace time.Duration) verdict {
	switch {
	case k.document == nil && k.RemovedAt != nil:
		return verdict{entitlement.Degraded, reasonRemoved}
	case k.document == nil:
		return verdict{entitlement.Degraded, reasonNone}
	case k.document.Verdict == licensedoc.Refused:
		return verdict{entitlement.Degraded, refusalReason(k.document.Reason)}
	case k.FailingSince != nil && now.Before(k.graceUntil(grace)):
		return verdict{entitlement.Grace, reasonUnreachable}
	case k.FailingSince != nil:
		return verdict{entitlement.Degraded, reasonUnreachable}
	case !now.Before(k.document.ValidUntil):
		return verdict{entitlement.Degraded, reasonExpired}
	}
	return verdict{entitlement.Active, reasonOK}
}

func refusalReason(reason string) string {
	if reason == licensedoc.ReasonExpired {
		return reasonExpired
	}
	return reasonRefused
}

// graceUntil counts from the first failure after the last good answer. Only another signed answer ends that count: it
// is kept in the database and in the data folder, and neither a restart nor a clock set back begins it anew.
func (k *snapshot) graceUntil(grace time.Duration) time.Time { return k.FailingSince.Add(grace) }

// checkable tells whether there is a key to ask the authority about.
func (k *snapshot) checkable() bool { return k.document != nil && k.SealedKey != "" }

// failed gives the row after a temporary failure. Grace begins only from an active
// license: a degraded one is not brought back by a server that does not answer.
func (k *snapshot) failed(now time.Time, grace time.Duration, failure *temporary) row {
	next := k.row
	if k.judge(now, grace).state == entitlement.Active {
		next.FailingSince = &now
	}
	next.Asking = false
	next.CheckAt, next.CheckOK, next.CheckError = &now, false, failure.summary
	next.Checks = latest(k.Checks, failure.attempts, now)
	return next
}

// begun gives the row with which the panel asks by itself. A question before it whose outcome nobody lived to note is a
// failure: a panel that always ends before a blocked server counts as failing would otherwise need no license server at
// all. It is not told before this question has its outcome, because an answer makes it good.
func (k *snapshot) begun(now time.Time, grace time.Duration) row {
	next := k.row
	if k.Asking {
		next = k.failed(now, grace, unfinished)
	}
	next.Asking = true
	return next
}

// answered gives the row after a signed verdict, good or bad.
func (k *snapshot) answered(now time.Time, answer signed) row {
	next := k.row
	next.Known = k.Known.with(k.document).with(&answer.document)
	next.Document, next.FailingSince, next.RemovedAt, next.Asking = answer.text, nil, nil, false
	next.CheckAt, next.CheckOK, next.CheckError = &now, true, answer.document.Reason
	next.Checks = latest(k.Checks, answer.attempts, now)
	return next
}

// daysLeft counts the begun days until the license ends.
func (k *snapshot) daysLeft(now time.Time) int {
	return int((k.document.ValidUntil.Sub(now) + 24*time.Hour - 1) / (24 * time.Hour))
}
