package proxypanel

import (
	"context"
	"time"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/internal/webhooks"
	"panel/platform/audit"
)

// Webhook is where a proxy panel may send what happens there.
type Webhook struct {
	Path        string     `json:"path" doc:"Append it to the address of this panel and set both there as WEBHOOK_URL"`
	HasSecret   bool       `json:"has_secret" doc:"Without one nothing is taken"`
	LastEventAt *time.Time `json:"last_event_at"`
	SkewSeconds *int64     `json:"skew_seconds" doc:"How far its clock is ahead, of the last webhook, where that was refused for it; null: it was not"`
}

// WebhookSecret is what webhooks are proved with.
type WebhookSecret struct {
	Secret string `json:"secret" maxLength:"128" doc:"32 to 128 letters and digits, as WEBHOOK_SECRET_HEADER there; empty takes it away; write-only"`
}

// newWebhooks takes those of connections.
func newWebhooks(c *connections, s *shadow.Shadow) *webhooks.Webhooks {
	return webhooks.New(webhooks.Tools{
		DB: c.store.db, Vault: c.vault, Queue: c.queue, Clock: c.clock, Shadow: s,
		Open: func(ctx context.Context, id string) (*remnawave.Client, error) {
			_, client, err := c.open(ctx, id)
			return client, err
		},
	})
}

type webhookInput struct {
	ConnectionPath
	Body WebhookSecret
}

// setWebhook keeps the secret. Faults: not_found (404), invalid_value (422).
func (h *handlers) setWebhook(ctx context.Context, in *webhookInput) (*body[Connection], error) {
	c := h.connections
	row, err := c.store.get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	err = c.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := h.webhooks.SetSecret(ctx, row.ID, in.Body.Secret); err != nil {
			return err
		}
		err := c.journal.Record(ctx, c.store.db.In(ctx), audit.Entry{
			Action: webhookChanged, Object: row.object(), Changes: map[string]audit.Change{
				"has_secret": {From: row.HasHookSecret, To: in.Body.Secret != ""},
			},
		})
		if err != nil {
			return err
		}
		row, err = c.store.get(ctx, row.ID)
		return err
	})
	return &body[Connection]{row.shown()}, err
}
