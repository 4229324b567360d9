package accounts

import (
	"time"

	"github.com/uptrace/bun"

	"panel/platform/access"
	"panel/platform/names"
)

// States of an account.
const (
	stateActive   = "active"
	stateDisabled = "disabled"
)

type accountRow struct {
	bun.BaseModel      `bun:"table:accounts,alias:a"`
	ID                 string       `bun:",pk"`
	Username           string       `bun:"username"`
	UsernameKey        *string      `bun:"username_key"` // see nameKey; nil until the panel starts on an older database
	PasswordHash       string       `bun:"password_hash"`
	Permissions        []access.Key `bun:"permissions,array"`
	State              string       `bun:"state"`
	MustChangePassword bool         `bun:"must_change_password"`
	LastLoginAt        *time.Time   `bun:"last_login_at"`
	LastLoginIP        string       `bun:"last_login_ip"`
	CreatedAt          time.Time    `bun:"created_at"`
	UpdatedAt          time.Time    `bun:"updated_at"`
	Revision           int64        `bun:"revision"`
	Language           string       `bun:"language"`
	TOTPEnabled        bool         `bun:"totp_enabled,scanonly"`
	Passkeys           int          `bun:"passkeys,scanonly"`
}

// account is an administrator as the API shows him; the password is never part of it.
type account struct {
	ID                 string     `json:"id" format:"uuid"`
	Username           string     `json:"username"`
	Permissions        []string   `json:"permissions"`
	State              string     `json:"state" enum:"active,disabled"`
	CreatedAt          time.Time  `json:"created_at"`
	LastLoginAt        *time.Time `json:"last_login_at"`
	LastLoginIP        string     `json:"last_login_ip"`
	TOTPEnabled        bool       `json:"totp_enabled"`
	Passkeys           int        `json:"passkeys" doc:"How many passkeys are registered"`
	MustChangePassword bool       `json:"must_change_password"`
	Language           string     `json:"language" enum:",en,ru" doc:"Language of the web interface; empty: not chosen"`
	Revision           int64      `json:"revision"`
}

// named gives the account a username and the key under which it is found.
func (r *accountRow) named(username string) {
	key := names.Key(username)
	r.Username, r.UsernameKey = names.Composed(username), &key
}

func (r *accountRow) shown() account {
	return account{
		ID: r.ID, Username: r.Username, Permissions: words(r.Permissions), State: r.State, CreatedAt: r.CreatedAt,
		LastLoginAt: r.LastLoginAt, LastLoginIP: r.LastLoginIP, MustChangePassword: r.MustChangePassword,
		Language: r.Language, Revision: r.Revision,
		TOTPEnabled: r.TOTPEnabled, Passkeys: r.Passkeys,
	}
}

func words(keys []access.Key) []string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = string(key)
	}
	return out
}
