package accounts

import (
	"time"

	"github.com/uptrace/bun"

	"panel/platform/core/accounts/internal/throttle"
	"panel/platform/tokens"
)

// absoluteLife ends a session however busy it is (domain decision 5).
const absoluteLife = 7 * 24 * time.Hour

type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:s"`
	ID            string    `bun:",pk"`
	AccountID     string    `bun:"account_id"`
	TokenHash     []byte    `bun:"token_hash"`
	CreatedAt     time.Time `bun:"created_at"`
	LastSeenAt    time.Time `bun:"last_seen_at"`
	ExpiresAt     time.Time `bun:"expires_at"`
	IP            string    `bun:"ip"`
	UserAgent     string    `bun:"user_agent"`
}

// session is one signed-in browser or tool as the API shows it.
type session struct {
	ID         string    `json:"id" format:"uuid"`
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at"`
	ExpiresAt  time.Time `json:"expires_at" doc:"When it ends if it is not used again"`
	IP         string    `json:"ip"`
	UserAgent  string    `json:"user_agent"`
	Current    bool      `json:"current"`
}

func (r *sessionRow) shown(idle time.Duration, current string) session {
	return session{
		ID: r.ID, CreatedAt: r.CreatedAt, LastSeenAt: r.LastSeenAt, ExpiresAt: r.end(idle), IP: r.IP,
		UserAgent: r.UserAgent, Current: r.ID == current,
	}
}

// end is the earlier of the idle and the absolute end.
func (r *sessionRow) end(idle time.Duration) time.Time {
	if at := r.LastSeenAt.Add(idle); at.Before(r.ExpiresAt) {
		return at
	}
	return r.ExpiresAt
}

// sessionPrefix begins every session token, and the tokens of challenges.
const sessionPrefix = "ps_"

// digestOf is what is stored of a token or a recovery code.
func digestOf(secret string) []byte {
	digest := tokens.DigestOf(secret)
	return digest[:]
}

// Limits are the rules of sessions and sign-ins that no setting changes.
type Limits struct {
	SessionLife         time.Duration
	FreeFailures        int
	FreeAddressFailures int
	LongestDelay        time.Duration
}

// Fixed gives the limits of this build.
func Fixed() Limits {
	return Limits{
		SessionLife: absoluteLife, FreeFailures: throttle.FreeFailures,
		FreeAddressFailures: throttle.FreeAddressFailures, LongestDelay: throttle.LongestDelay,
	}
}
