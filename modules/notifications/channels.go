package notifications

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	sender "panel/modules/notifications/internal/mail"
	"panel/modules/notifications/internal/webhook"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/outbound"
	"panel/platform/vault"
)

// Kinds of channels. The messenger is no row: the settings hold it, and it is named by its kind.
const (
	kindMessenger = "messenger"
	kindWebhook   = "webhook"
	kindEmail     = "email"
)

// Channel is a further way to people or programs beside the messenger.
type Channel struct {
	ID           string        `json:"id" format:"uuid"`
	Kind         string        `json:"kind" enum:"webhook,email"`
	Name         string        `json:"name"`
	Enabled      bool          `json:"enabled"`
	Webhook      *ShownWebhook `json:"webhook,omitempty"`
	Email        *ShownEmail   `json:"email,omitempty"`
	LastDelivery *LastDelivery `json:"last_delivery,omitempty" doc:"Absent: there was none"`
	CreatedAt    time.Time     `json:"created_at"`
	UpdatedAt    time.Time     `json:"updated_at"`
	Revision     int64         `json:"revision"`
}

// LastDelivery is the newest delivery of a channel.
type LastDelivery struct {
	ID         string     `json:"id" format:"uuid"`
	State      string     `json:"state" enum:"queued,sending,sent,failed,folded,superseded,cancelled"`
	CreatedAt  time.Time  `json:"created_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

// ShownWebhook is a receiver as it may be shown: its address often holds a token.
type ShownWebhook struct {
	Host      string `json:"host" doc:"Host of the address; the rest of it is never shown"`
	HasSecret bool   `json:"has_secret"`
}

// ShownEmail is a mail server without its password.
type ShownEmail struct {
	Host        string   `json:"host"`
	Port        int      `json:"port"`
	Security    string   `json:"security" enum:"starttls,tls"`
	Username    string   `json:"username"`
	HasPassword bool     `json:"has_password"`
	From        string   `json:"from"`
	To          []string `json:"to"`
	CA          string   `json:"ca" doc:"Certificate authority of the server in PEM; empty: those of the system"`
}

// NewChannel is what a channel begins with.
type NewChannel struct {
	Kind    string         `json:"kind" enum:"webhook,email"`
	Name    string         `json:"name" minLength:"1" maxLength:"64"`
	Enabled *bool          `json:"enabled,omitempty" doc:"Absent: it is"`
	Webhook *WebhookTarget `json:"webhook,omitempty" doc:"Required for the kind webhook"`
	Email   *EmailTarget   `json:"email,omitempty" doc:"Required for the kind email"`
}

// WebhookTarget is a receiver. Absent members stay as they are.
type WebhookTarget struct {
	URL    *string `json:"url,omitempty" maxLength:"2000" doc:"Public http or https address; write-only"`
	Secret *string `json:"secret,omitempty" minLength:"16" maxLength:"200" doc:"Key of the signature; write-only"`
}

// EmailTarget is a mail server and whom it sends to. Absent members stay as they are.
type EmailTarget struct {
	Host     *string   `json:"host,omitempty" minLength:"1" maxLength:"253"`
	Port     *int      `json:"port,omitempty" minimum:"1" maximum:"65535"`
	Security *string   `json:"security,omitempty" enum:"starttls,tls" doc:"How the way to the server is encrypted"`
	Username *string   `json:"username,omitempty" maxLength:"200" doc:"Empty: without signing in"`
	Password *string   `json:"password,omitempty" maxLength:"500" doc:"Write-only"`
	From     *string   `json:"from,omitempty" maxLength:"320"`
	To       *[]string `json:"to,omitempty" minItems:"1" maxItems:"20"`
	CA       *string   `json:"ca,omitempty" maxLength:"20000" doc:"Certificate authority of the server in PEM"`
}

// ChannelChange is what may change. What is absent stays as it is.
type ChannelChange struct {
	Revision *int64         `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Name     *string        `json:"name,omitempty" minLength:"1" maxLength:"64"`
	Enabled  *bool          `json:"enabled,omitempty"`
	Webhook  *WebhookTarget `json:"webhook,omitempty"`
	Email    *EmailTarget   `json:"email,omitempty"`
}

// channels are the rules about channels: each change, its line in the journal and its event commit together.
type channels struct {
	store   *store
	journal audit.Journal
	bus     *events.Bus
	clock   clockwork.Clock
	vault   *vault.Vault
	network *outbound.Network
}

func newChannels(
	s *store, j audit.Journal, b *events.Bus, c clockwork.Clock, v *vault.Vault, n *outbound.Network,
) *channels {
	return &channels{s, j, b, c, v, n}
}

// address is what of a webhook may be shown.
type address struct {
	Host string `json:"host"`
}

func (c *channels) place(id string) vault.Ref {
	return vault.Ref{Table: "notifications_channels", ID: id, Column: "sealed"}
}

func (c *channels) open(row *channelRow, into any) error {
	text, err := c.vault.Open(c.place(row.ID), row.Sealed)
	if err != nil {
		return fmt.Errorf("open the secrets of a channel: %w", err)
	}
	return json.Unmarshal(text, into)
}

func (c *channels) seal(row *channelRow, target, secrets any) error {
	text, errTarget := json.Marshal(target)
	hidden, errSecrets := json.Marshal(secrets)
	if err := errors.Join(errTarget, errSecrets); err != nil {
		return fmt.Errorf("write the target of a channel: %w", err)
	}
	row.Target, row.Sealed = text, c.vault.Seal(c.place(row.ID), hidden)
	return nil
}

// mailSecrets is what of a mail server is sealed.
type mailSecrets struct {
	Password string `json:"password"`
}

func (c *channels) webhook(row *channelRow) (target webhook.Target, err error) {
	return target, c.open(row, &target)
}

func (c *channels) server(row *channelRow) (server sender.Server, err error) {
	var hidden mailSecrets
	if err := errors.Join(json.Unmarshal(row.Target, &server), c.open(row, &hidden)); err != nil {
		return server, err
	}
	server.Password = hidden.Password
	return server, nil
}

// add stores a channel. Faults: name_taken (409), invalid_value (422).
func (c *channels) add(ctx context.Context, in NewChannel) (Channel, error) {
	now := c.clock.Now().UTC()
	row := channelRow{
		ID: database.NewID(), Kind: in.Kind, Name: in.Name, Enabled: in.Enabled == nil || *in.Enabled, CreatedAt: now,
		UpdatedAt: now, Revision: 1,
	}
	var err error
	switch {
	case in.Kind == kindWebhook && in.Webhook != nil:
		err = c.aim(&row, webhook.Target{}, *in.Webhook)
	case in.Kind == kindEmail && in.Email != nil:
		err = c.post(&row, sender.Server{Port: 587, Security: "starttls"}, *in.Email)
	default:
		err = fault.InvalidValue("body."+in.Kind, "is required for a channel of this kind")
	}
	if err != nil {
		return Channel{}, err
	}
	err = c.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := c.store.insertChannel(ctx, &row); err != nil {
			return err
		}
		return c.publish(ctx, channelAdded, &row, map[string]audit.Change{"kind": {To: row.Kind}})
	})
	return c.shown(&row), err
}

// aim gives the row its receiver.
func (c *channels) aim(row *channelRow, target webhook.Target, to WebhookTarget) error {
	set(&target.URL, to.URL)
	set(&target.Secret, to.Secret)
	at, err := c.network.Address(target.URL, outbound.PublicOnly)
	switch {
	case err != nil || strings.ContainsFunc(target.URL, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return fault.InvalidValue("body.webhook.url", "must be an http or https address in the public internet")
	case target.Secret == "":
		return fault.InvalidValue("body.webhook.secret", "is required: receivers know the panel by its signature")
	}
	return c.seal(row, address{Host: at.Host}, target)
}

// post gives the row its mail server.
func (c *channels) post(row *channelRow, server sender.Server, to EmailTarget) error {
	set(&server.Host, to.Host)
	set(&server.Port, to.Port)
	set(&server.Security, to.Security)
	set(&server.Username, to.Username)
	set(&server.Password, to.Password)
	set(&server.From, to.From)
	set(&server.To, to.To)
	set(&server.CA, to.CA)
	host := url.URL{Scheme: "https", Host: server.Host}
	if strings.Contains(server.Host, ":") {
		host.Host = "[" + strings.Trim(server.Host, "[]") + "]"
	}
	if _, err := c.network.Address(host.String(), outbound.Private); err != nil || strings.ContainsAny(server.Host, "/@ ") {
		return fault.InvalidValue("body.email.host", "must be the name or address of a server that the panel may call")
	}
	if !isAddress(server.From) {
		return fault.InvalidValue("body.email.from", "must be an e-mail address")
	}
	if len(server.To) == 0 {
		return fault.InvalidValue("body.email.to", "is required")
	}
	for i, one := range server.To {
		if !isAddress(one) {
			return fault.InvalidValue(fmt.Sprintf("body.email.to[%d]", i), "must be an e-mail address")
		}
	}
	return c.seal(row, server, mailSecrets{server.Password})
}

// isAddress takes a bare address, so that nothing can be put into the heading of a mail.
func isAddress(text string) bool {
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text && !strings.ContainsAny(text, "\r\n")
}

func set[T any](value *T, to *T) {
	if to != nil {
		*value = *to
	}
}

// change alters what is given. Faults: not_found (404), revision_conflict, name_taken (409), invalid_value (422).
func (c *channels) change(ctx context.Context, id string, revision int64, to ChannelChange) (Channel, error) {
	var row channelRow
	err := c.store.db.InTx(ctx, func(ctx context.Context) error {
		before, err := c.store.lockChannel(ctx, id, revision)
		if err != nil {
			return err
		}
		row = before
		set(&row.Name, to.Name)
		set(&row.Enabled, to.Enabled)
		if err := c.retarget(&row, to); err != nil {
			return err
		}
		row.Revision, row.UpdatedAt = row.Revision+1, c.clock.Now().UTC()
		if err := c.store.updateChannel(ctx, &row); err != nil {
			return err
		}
		changes := differences(&before, &row, to.Webhook != nil || to.Email != nil)
		if err := c.publish(ctx, channelChanged, &row, changes); err != nil {
			return err
		}
		row, err = c.store.channel(ctx, id)
		return err
	})
	return c.shown(&row), err
}

func (c *channels) retarget(row *channelRow, to ChannelChange) error {
	switch {
	case to.Webhook != nil && row.Kind == kindWebhook:
		target, err := c.webhook(row)
		if err != nil {
			return err
		}
		return c.aim(row, target, *to.Webhook)
	case to.Email != nil && row.Kind == kindEmail:
		server, err := c.server(row)
		if err != nil {
			return err
		}
		return c.post(row, server, *to.Email)
	case to.Webhook != nil:
		return fault.InvalidValue("body.webhook", "does not belong to a channel of this kind")
	case to.Email != nil:
		return fault.InvalidValue("body.email", "does not belong to a channel of this kind")
	}
	return nil
}

// differences are what the journal says of a change; of a target only that it is another one.
func differences(before, after *channelRow, target bool) map[string]audit.Change {
	all := map[string]audit.Change{
		"name": {From: before.Name, To: after.Name}, "enabled": {From: before.Enabled, To: after.Enabled},
	}
	if target {
		all["target"] = audit.Change{To: "changed"}
	}
	return all
}

// get gives one channel. Fault: not_found (404).
func (c *channels) get(ctx context.Context, id string) (channelRow, error) {
	return c.store.channel(ctx, id)
}

// remove deletes a channel; what waits for it is cancelled, and rules name it no more. Fault: not_found (404).
func (c *channels) remove(ctx context.Context, id string) error {
	return c.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := c.store.deleteChannel(ctx, id, c.clock.Now().UTC())
		if err != nil {
			return err
		}
		return c.publish(ctx, channelRemoved, &row, nil)
	})
}

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (c *channels) publish(ctx context.Context, kind string, row *channelRow, changes map[string]audit.Change) error {
	entry := audit.Entry{
		Action: kind, Object: audit.Object{Type: objectChannel, ID: row.ID, Name: row.Name}, Changes: changes,
	}
	recorded := c.journal.Record(ctx, c.store.db.In(ctx), entry)
	emitted := c.bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: row.ID, At: c.clock.Now().UTC(), Data: Named{Name: row.Name},
	})
	if err := errors.Join(recorded, emitted); err != nil {
		return fmt.Errorf("publish what happened to a channel: %w", err)
	}
	return nil
}
