package proxypanel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/webhooks"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/vault"
)

// Connection is the access to a proxy panel, and what was found at the last look. What is secret is only told to be
// there.
type Connection struct {
	ID                   string             `json:"id" format:"uuid"`
	Label                string             `json:"label"`
	BaseURL              string             `json:"base_url"`
	Direct               bool               `json:"direct" doc:"There is no reverse proxy in front: the panel sends its headers itself"`
	HasToken             bool               `json:"has_token"`
	HasExtraHeaders      bool               `json:"has_extra_headers"`
	HasCookie            bool               `json:"has_cookie"`
	HasCA                bool               `json:"has_ca"`
	HasClientCertificate bool               `json:"has_client_certificate"`
	TokenExpiresAt       *time.Time         `json:"token_expires_at" doc:"null: it never ends"`
	State                string             `json:"state" enum:"unchecked,ok,degraded,auth,unreachable,gate,unsupported"`
	Cause                string             `json:"cause" doc:"Stable word for why it is not ok; empty: it is"`
	Detail               string             `json:"detail" doc:"What the cause does not say, in English; may be empty"`
	MissingScopes        []string           `json:"missing_scopes" doc:"Those that the token lacks, as the proxy panel names them"`
	Version              string             `json:"version" doc:"As last seen; empty: never"`
	Compatibility        string             `json:"compatibility" enum:"unknown,supported,untested,unsupported"`
	LatencyMS            *int64             `json:"latency_ms" doc:"Of the last answer, in milliseconds"`
	Panel                *remnawave.Figures `json:"panel" doc:"What it said of itself last; null: nothing yet"`
	CheckedAt            *time.Time         `json:"checked_at"`
	LastOKAt             *time.Time         `json:"last_ok_at" doc:"When it could be used last, fully or not"`
	LastSyncAt           *time.Time         `json:"last_sync_at" doc:"When all its objects were read last; null: never"`
	UsersSyncedAt        *time.Time         `json:"users_synced_at" doc:"When all its users were read last; null: never"`
	Webhook              Webhook            `json:"webhook"`
	CreatedAt            time.Time          `json:"created_at"`
	UpdatedAt            time.Time          `json:"updated_at"`
	Revision             int64              `json:"revision"`
}

// NewConnection is what a connection begins with.
type NewConnection struct {
	Label             string            `json:"label" minLength:"1" maxLength:"64"`
	BaseURL           string            `json:"base_url" minLength:"1" maxLength:"500" doc:"Address of the proxy panel, with or without /api"`
	Token             string            `json:"token" minLength:"1" maxLength:"8192" doc:"API token; write-only"`
	Direct            bool              `json:"direct,omitempty" default:"false" doc:"Nothing stands in front of the proxy panel"`
	ExtraHeaders      map[string]string `json:"extra_headers,omitempty" doc:"Headers that a gate in front wants; write-only"`
	Cookie            string            `json:"cookie,omitempty" maxLength:"8192" doc:"Cookie that a gate in front wants; write-only"`
	CA                string            `json:"ca,omitempty" maxLength:"65536" doc:"Certificates, PEM, that its certificate is checked against"`
	ClientCertificate string            `json:"client_certificate,omitempty" maxLength:"65536" doc:"Certificate and key, PEM; write-only"`
}

// ConnectionChange is what may change. What is absent stays; an empty text or object takes away.
type ConnectionChange struct {
	Revision          *int64             `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Label             *string            `json:"label,omitempty" minLength:"1" maxLength:"64"`
	BaseURL           *string            `json:"base_url,omitempty" minLength:"1" maxLength:"500"`
	Token             *string            `json:"token,omitempty" minLength:"1" maxLength:"8192"`
	Direct            *bool              `json:"direct,omitempty"`
	ExtraHeaders      *map[string]string `json:"extra_headers,omitempty"`
	Cookie            *string            `json:"cookie,omitempty" maxLength:"8192"`
	CA                *string            `json:"ca,omitempty" maxLength:"65536"`
	ClientCertificate *string            `json:"client_certificate,omitempty" maxLength:"65536"`
}

// connections are the rules about connections: each change, its line in the journal and its event commit together. The
// other panel is asked before, never inside the transaction, and a connection is kept whatever it answers.
type connections struct {
	store   *store
	door    *door
	vault   *vault.Vault
	journal audit.Journal
	bus     *events.Bus
	queue   *jobs.Enqueuer
	clock   clockwork.Clock
}

func newConnections(
	s *store, d *door, v *vault.Vault, j audit.Journal, b *events.Bus, q *jobs.Enqueuer, c clockwork.Clock,
) *connections {
	return &connections{s, d, v, j, b, q, c}
}

func (c *connections) now() time.Time { return c.clock.Now().UTC().Truncate(time.Microsecond) }

// add looks at the panel and stores the connection. Faults: name_taken, panel_connected (409), invalid_value (422).
func (c *connections) add(ctx context.Context, in NewConnection) (Connection, error) {
	row := c.newRow(in.Label)
	access := &remnawave.Access{
		BaseURL: in.BaseURL, Direct: in.Direct, Token: strings.TrimSpace(in.Token), Headers: in.ExtraHeaders,
		Cookie: in.Cookie, CA: in.CA, Certificate: in.ClientCertificate,
	}
	if err := access.Check(c.door.network); err != nil {
		return Connection{}, err
	}
	if err := c.store.free(ctx, in.Label, access.BaseURL); err != nil {
		return Connection{}, err
	}
	if err := c.reach(ctx, row, access); err != nil {
		return Connection{}, err
	}
	err := c.store.db.InTx(ctx, func(ctx context.Context) error { return c.insert(ctx, row) })
	return row.shown(), err
}

func (c *connections) newRow(label string) *connectionRow {
	now := c.now()
	return &connectionRow{
		ID: database.NewID(), Label: label, State: remnawave.StateUnchecked, MissingScopes: json.RawMessage("[]"),
		CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
}

func (c *connections) insert(ctx context.Context, row *connectionRow) error {
	if err := c.store.insert(ctx, row); err != nil {
		return err
	}
	hook, err := webhooks.Add(ctx, c.store.db, row.ID)
	if err != nil {
		return err
	}
	row.HookID = hook
	return c.publish(ctx, connectionAdded, row, map[string]audit.Change{
		"base_url": {To: row.BaseURL}, "direct": {To: row.Direct},
	})
}

// reach gives the row another access, and looks at the panel with it, scopes and all.
func (c *connections) reach(ctx context.Context, row *connectionRow, access *remnawave.Access) error {
	expires, err := remnawave.ReadToken(access.Token)
	if err != nil {
		return err
	}
	client, err := c.door.open(access)
	if err != nil {
		return err
	}
	defer client.Close()
	row.TokenExpiresAt, row.ToldExpiry = expires, nil
	row.Failures, row.ScopesCheckedAt, row.MissingScopes = 0, nil, json.RawMessage("[]")
	if err := c.seal(row, access); err != nil {
		return err
	}
	return c.look(ctx, client, row, true)
}

func (c *connections) seal(row *connectionRow, access *remnawave.Access) error {
	secrets, err := access.Secrets()
	if err != nil {
		return fmt.Errorf("write the access to a proxy panel: %w", err)
	}
	row.BaseURL, row.Direct, row.Sealed = access.BaseURL, access.Direct, c.vault.Seal(row.place(), secrets)
	row.HasExtraHeaders, row.HasCookie = len(access.Headers) > 0, access.Cookie != ""
	row.HasCA, row.HasClientCertificate = access.CA != "", access.Certificate != ""
	return nil
}

// access is how the panel of a row is reached, the secret parts too.
func (c *connections) access(row *connectionRow) (*remnawave.Access, error) {
	secrets, err := c.vault.Open(row.place(), row.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open the access to a proxy panel: %w", err)
	}
	access := &remnawave.Access{BaseURL: row.BaseURL, Direct: row.Direct}
	if err := access.ReadSecrets(secrets); err != nil {
		return nil, fmt.Errorf("read the access to a proxy panel: %w", err)
	}
	return access, nil
}

// change alters what is given, and looks at the panel anew where the access changes.
// Faults: not_found (404), revision_conflict, name_taken, panel_connected (409), invalid_value (422).
func (c *connections) change(ctx context.Context, id string, revision int64, to ConnectionChange) (Connection, error) {
	row, err := c.store.get(ctx, id)
	if err != nil {
		return Connection{}, err
	}
	before := row
	if to.Label != nil {
		row.Label = *to.Label
	}
	changes := map[string]audit.Change{"label": {From: before.Label, To: row.Label}}
	if to.reaches() {
		if err := c.retarget(ctx, &row, to); err != nil {
			return Connection{}, err
		}
		changes["base_url"] = audit.Change{From: before.BaseURL, To: row.BaseURL}
		changes["direct"] = audit.Change{From: before.Direct, To: row.Direct}
		changes["access"] = audit.Change{To: "changed"}
	}
	row.Revision, row.UpdatedAt = revision+1, c.now()
	err = c.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := c.store.lock(ctx, id, revision); err != nil {
			return err
		}
		if err := c.store.update(ctx, &row); err != nil {
			return err
		}
		return c.publish(ctx, connectionChanged, &row, changes)
	})
	return row.shown(), err
}

// reaches says whether a change alters how the panel is reached.
func (to ConnectionChange) reaches() bool {
	return to.BaseURL != nil || to.Token != nil || to.Direct != nil || to.ExtraHeaders != nil || to.Cookie != nil ||
		to.CA != nil || to.ClientCertificate != nil
}

func (c *connections) retarget(ctx context.Context, row *connectionRow, to ConnectionChange) error {
	access, err := c.access(row)
	if err != nil {
		return err
	}
	replace(&access.BaseURL, to.BaseURL)
	replace(&access.Direct, to.Direct)
	replace(&access.Headers, to.ExtraHeaders)
	replace(&access.Cookie, to.Cookie)
	replace(&access.CA, to.CA)
	replace(&access.Certificate, to.ClientCertificate)
	if replace(&access.Token, to.Token); to.Token != nil {
		access.Token = strings.TrimSpace(access.Token)
	}
	return c.reach(ctx, row, access)
}

// replace takes over a value that is given.
func replace[T any](old, given *T) {
	if given != nil {
		*old = *given
	}
}

// remove forgets a connection; at the other panel nothing changes. Fault: not_found (404).
func (c *connections) remove(ctx context.Context, id string) error {
	return c.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := c.store.remove(ctx, id)
		if err != nil {
			return err
		}
		return c.publish(ctx, connectionRemoved, &row, nil)
	})
}

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (c *connections) publish(
	ctx context.Context, kind string, row *connectionRow, changes map[string]audit.Change,
) error {
	return c.publishWith(ctx, kind, row, changes, Named{row.Label})
}

func (c *connections) publishWith(
	ctx context.Context, kind string, row *connectionRow, changes map[string]audit.Change, data any,
) error {
	recorded := c.journal.Record(ctx, c.store.db.In(ctx), audit.Entry{
		Action: kind, Object: row.object(), Changes: changes,
	})
	if err := errors.Join(recorded, c.emit(ctx, kind, row, data)); err != nil {
		return fmt.Errorf("publish what happened to a connection: %w", err)
	}
	return nil
}

func (c *connections) emit(ctx context.Context, kind string, row *connectionRow, data any) error {
	return c.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: row.ID, At: c.now(), Data: data})
}
