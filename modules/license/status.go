package license

import (
	"time"

	"panel/platform/entitlement"
)

// Status is the one shape of the license for the API and the command line.
type Status struct {
	State       string     `json:"state" enum:"active,grace,degraded"`
	Reason      string     `json:"reason" enum:"ok,none,expired,refused,removed,unreachable" doc:"Why the license is in this state; ok while it is active"`
	ReadOnly    bool       `json:"read_only" doc:"State-changing requests are refused"`
	Plan        *string    `json:"plan"`
	ValidUntil  *time.Time `json:"valid_until"`
	GraceUntil  *time.Time `json:"grace_until" doc:"When the grace period ends; null outside of it"`
	LastCheck   *LastCheck `json:"last_check"`
	ContactAt   *time.Time `json:"last_contact_at,omitempty" doc:"When a license server signed its latest answer"`
	GraceSince  *time.Time `json:"grace_since,omitempty" doc:"When the server first failed to answer; the grace period counts from here"`
	Checks      []Attempt  `json:"checks,omitempty" doc:"The latest questions to license servers, newest first, at most five"`
	NextCheckAt *time.Time `json:"next_check_at" doc:"null when nothing is checked: no license, or an offline document"`
	Features    Features   `json:"features"`
	KeyMasked   *string    `json:"key_masked" example:"PNL-••••-••••-7F3A"`
	Unconfirmed bool       `json:"unconfirmed,omitempty" doc:"Another panel has not confirmed this change in time; it may answer by the former license until it hears again"`
	InstanceID  string     `json:"instance_id" doc:"Names this installation to the license server"`
}

// LastCheck is the latest question to the license server.
type LastCheck struct {
	At    time.Time `json:"at"`
	OK    bool      `json:"ok" doc:"The server gave a signed answer, be it a refusal"`
	Error *string   `json:"error" doc:"What went wrong, or the reason of a signed refusal"`
}

// Features are the parts of this build that a plan can open.
type Features struct {
	Enabled []string `json:"enabled"`
	Blocked []string `json:"blocked"`
}

// statusOutput is the answer of all four operations.
type statusOutput struct{ Body Status }

type activateInput struct {
	Body struct {
		LicenseKey string `json:"license_key,omitempty" maxLength:"20000" doc:"The license key, or the text of an offline document"`
		Key        string `json:"key,omitempty" maxLength:"20000" doc:"The same as license_key"`
	}
}

func (in *activateInput) secret() string {
	if in.Body.LicenseKey != "" {
		return in.Body.LicenseKey
	}
	return in.Body.Key
}

func (k *snapshot) status(now time.Time, grace time.Duration) Status {
	v := k.judge(now, grace)
	status := Status{
		State: v.state, Reason: v.reason, ReadOnly: v.state == entitlement.Degraded, InstanceID: k.InstanceID,
		Features: Features{Enabled: k.enabled, Blocked: k.blocked}, Checks: k.Checks,
	}
	if k.document == nil {
		return status
	}
	status.Plan, status.KeyMasked = optional(k.document.Plan), optional(k.KeyMasked)
	if !k.document.ValidUntil.IsZero() {
		status.ValidUntil = &k.document.ValidUntil
	}
	if v.state == entitlement.Grace {
		since, until := k.FailingSince.UTC(), k.graceUntil(grace).UTC()
		status.GraceSince, status.GraceUntil = &since, &until
	}
	if k.checkable() {
		contact := k.document.IssuedAt.UTC()
		status.ContactAt = &contact
	}
	if k.CheckAt != nil {
		status.LastCheck = &LastCheck{k.CheckAt.UTC(), k.CheckOK, optional(k.CheckError)}
	}
	if k.NextCheckAt != nil {
		next := k.NextCheckAt.UTC()
		status.NextCheckAt = &next
	}
	return status
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
