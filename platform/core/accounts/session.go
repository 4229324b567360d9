package accounts

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/uptrace/bun"
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

const tokenBytes = 32

// newToken gives 256 random bits; only their hash is stored.
func newToken() (token string, hash []byte) {
	raw := make([]byte, tokenBytes)
	_, _ = rand.Read(raw) // never fails: the runtime ends the process instead
	token = "ps_" + base64.RawURLEncoding.EncodeToString(raw)
	return token, hashToken(token)
}

func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
