// Package webhooks takes what proxy panels send when something happens there.
//
// A webhook is a hint and never more: of its body only the time and the id of what it is about are read, and nothing of
// it is stored or logged. What it names is read again soon, by a job. What is lost, the schedule of internal/syncs
// catches up with.
package webhooks

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/pattern"
	"panel/platform/vault"
)

// SignatureHeader carries the HMAC-SHA256 of the body in hexadecimal.
const SignatureHeader = "X-Remnawave-Signature"

// Oldest is how far the time of a body may lie from ours, before and after.
const Oldest = 5 * time.Minute

// Hook is where a connection's webhooks arrive.
type Hook struct {
	bun.BaseModel `bun:"table:proxypanel_hooks,alias:h"`

	ConnectionID string     `bun:"connection_id,pk,type:uuid"`
	HookID       string     `bun:"hook_id,type:uuid"`
	Sealed       string     `bun:"sealed"`
	LastEventAt  *time.Time `bun:"last_event_at"`
	// SkewSeconds is how far off the clock of the last body was that was refused for its time; nil since one was taken.
	SkewSeconds *int64 `bun:"skew_seconds"`
}

func (h *Hook) place() vault.Ref {
	return vault.Ref{Table: "proxypanel_hooks", ID: h.ConnectionID, Column: "sealed"}
}

// Column is the sealed one.
var Column = vault.Column{Table: "proxypanel_hooks", ID: "connection_id", Column: "sealed"}

// Tools are what webhooks work with.
type Tools struct {
	DB     *database.DB
	Vault  *vault.Vault
	Queue  *jobs.Enqueuer
	Clock  clockwork.Clock
	Shadow *shadow.Shadow
	// Open gives a client for a connection, to be closed. Fault: not_found (404).
	Open func(ctx context.Context, connectionID string) (*remnawave.Client, error)
}

// Webhooks takes them.
type Webhooks struct {
	Tools
	// nobody is the secret that a body for an unknown hook is proved against, so that it takes as long.
	nobody []byte
}

// New makes it.
func New(t Tools) *Webhooks { return &Webhooks{t, []byte(rand.Text())} }

// Add gives a new connection its hook, in the transaction of the context.
func Add(ctx context.Context, db *database.DB, connectionID string) (hookID string, err error) {
	row := &Hook{ConnectionID: connectionID, HookID: uuid.NewString()}
	_, err = db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return row.HookID, database.Fault(err, nil)
}

// secret is what a Remnawave takes as WEBHOOK_SECRET_HEADER.
var secret = pattern.Of(`^[A-Za-z0-9]{32,128}$`)

// SetSecret keeps the secret that a connection's webhooks are proved with; an empty one takes them no more. Fault:
// invalid_value (422).
func (w *Webhooks) SetSecret(ctx context.Context, connectionID, given string) error {
	row := &Hook{ConnectionID: connectionID}
	if given != "" {
		if !secret().MatchString(given) {
			return fault.InvalidValue("secret", "must be 32 to 128 letters and digits, as WEBHOOK_SECRET_HEADER there")
		}
		row.Sealed = w.Vault.Seal(row.place(), []byte(given))
	}
	_, err := w.DB.In(ctx).NewUpdate().Model(row).Column("sealed").WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

// ErrUnknown answers a hook that there is not and a signature that proves nothing alike.
var ErrUnknown = fault.Missing("there is nothing with this identifier")

// errUnreadable answers a body that is proved and cannot be read.
var errUnreadable = fault.Malformed("bad_json", "the body is no webhook of a Remnawave")

// Faults are the codes of this package.
func Faults() []fault.Declared {
	return []fault.Declared{{
		Kind: fault.KindInvalid, Code: "webhook_stale",
		Summary: "The time of a webhook is more than five minutes off; skew_seconds says how far",
	}}
}

// message is all that is read of a body.
type message struct {
	Scope     string    `json:"scope"`
	Timestamp time.Time `json:"timestamp"`
	Data      struct {
		ID   json.RawMessage `json:"id"`
		UUID json.RawMessage `json:"uuid"`
		User struct {
			ID json.RawMessage `json:"id"`
		} `json:"user"`
	} `json:"data"`
}

// Take takes a body for a hook. Faults: not_found (404) for whoever proves nothing, bad_json (400), webhook_stale
// (422).
func (w *Webhooks) Take(ctx context.Context, hookID, signature string, body []byte) error {
	hook, err := w.prove(ctx, hookID, signature, body)
	if err != nil {
		return err
	}
	var said message
	if json.Unmarshal(body, &said) != nil || said.Timestamp.IsZero() {
		return errUnreadable
	}
	off := w.Clock.Now().Sub(said.Timestamp)
	if off > Oldest || off < -Oldest {
		return w.refuse(ctx, hook, off)
	}
	return w.note(ctx, hook, sha256.Sum256(body), &said)
}

// prove finds the hook whose secret has signed the body. All ways to fail take the same steps.
func (w *Webhooks) prove(ctx context.Context, hookID, signature string, body []byte) (*Hook, error) {
	id, err := uuid.Parse(hookID)
	if err != nil || len(hookID) != len(uuid.Nil.String()) {
		id = uuid.Nil
	}
	var hooks []Hook
	if err := w.DB.In(ctx).NewSelect().Model(&hooks).Where("h.hook_id = ?", id).Scan(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("look for a hook: %w", err), nil)
	}
	key, known := w.nobody, false
	if len(hooks) == 1 && hooks[0].Sealed != "" {
		if key, err = w.Vault.Open(hooks[0].place(), hooks[0].Sealed); err != nil {
			return nil, fmt.Errorf("open the secret of a hook: %w", err)
		}
		known = true
	}
	sum := hmac.New(sha256.New, key)
	_, _ = sum.Write(body)
	given, err := hex.DecodeString(signature)
	if !hmac.Equal(sum.Sum(nil), given) || err != nil || !known {
		return nil, ErrUnknown
	}
	return &hooks[0], nil
}

// refuse says how far off a clock is, to the sender and to whoever looks at the connection.
func (w *Webhooks) refuse(ctx context.Context, hook *Hook, off time.Duration) error {
	skew := int64(-off / time.Second)
	_, err := w.DB.In(ctx).NewRaw("update proxypanel_hooks set skew_seconds = ? where connection_id = ?",
		skew, hook.ConnectionID).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("note the clock of a proxy panel: %w", err), nil)
	}
	return fault.Invalid("webhook_stale", "the time of this webhook is more than five minutes off").
		With("skew_seconds", skew)
}

// note keeps the sum of a body and what it names, once. The row of the hook keeps a job from ending while a hint is on
// its way.
func (w *Webhooks) note(ctx context.Context, hook *Hook, sum [sha256.Size]byte, said *message) error {
	return w.DB.InTx(ctx, func(ctx context.Context) error {
		db := w.DB.In(ctx)
		_, err := db.NewRaw(`update proxypanel_hooks set last_event_at = clock_timestamp(), skew_seconds = null
			where connection_id = ?`, hook.ConnectionID).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("note a webhook: %w", err), nil)
		}
		done, err := db.NewRaw(`insert into proxypanel_hook_bodies (connection_id, sum, taken_at)
			values (?, ?, clock_timestamp()) on conflict do nothing`, hook.ConnectionID, sum[:]).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("note the sum of a webhook: %w", err), nil)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return w.hint(ctx, hook.ConnectionID, said)
	})
}

// hint keeps what a body is about and has it read again.
func (w *Webhooks) hint(ctx context.Context, connectionID string, said *message) error {
	kind, id := said.subject()
	if id == "" {
		return nil
	}
	_, err := w.DB.In(ctx).NewRaw(`insert into proxypanel_hints (connection_id, kind, external_id, at)
		values (?, ?, ?, clock_timestamp()) on conflict (connection_id, kind, external_id) do update set at = excluded.at`,
		connectionID, kind, id).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("note what a webhook names: %w", err), nil)
	}
	return w.Queue.Insert(ctx, hintArgs{connectionID}, jobs.Opts{Unique: connectionID})
}

// kindUser is the kind of hints about users.
const kindUser = "user"

// subject is what is to be read again; an empty id: nothing.
func (m *message) subject() (kind, id string) {
	number := m.Data.ID
	switch m.Scope {
	case "node":
		if node := strings.Trim(string(m.Data.UUID), `"`); uuid.Validate(node) == nil && len(node) == len(uuid.Nil.String()) {
			return remnawave.KindNode, strings.ToLower(node)
		}
		return "", ""
	case "user":
	case "user_hwid_devices", "torrent_blocker":
		number = m.Data.User.ID
	default:
		return "", ""
	}
	if user, err := strconv.ParseInt(string(number), 10, 64); err == nil && user > 0 {
		return kindUser, strconv.FormatInt(user, 10)
	}
	return "", ""
}

// Tidy lets sums go that are older than what is refused by its time.
func Tidy() jobs.Tidy {
	return jobs.Tidy{Table: "proxypanel_hook_bodies", Column: "taken_at", Age: time.Hour}
}
