package clients

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net"

	"panel/modules/clients/clientsapi"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
)

func publicURL(cfg *config.Config) string {
	if given := cfg.String(config.PublicURL); given != "" {
		return given
	}
	return "http://" + net.JoinHostPort(cfg.String(config.Bind), cfg.String(config.Port))
}

func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// issueLink makes a client's subscription URL; an earlier one ends. Only its hash is kept.
// Fault: not_found (404).
func (c *clients) issueLink(ctx context.Context, id string) (PublicLink, error) {
	token, now := rand.Text(), c.now()
	err := c.relink(ctx, id, clientsapi.FlowPublicLinkIssued, func(row *clientRow) {
		row.PublicHash, row.PublicIssuedAt = hashToken(token), &now
	})
	return PublicLink{URL: c.address + "/s/" + token, CreatedAt: now}, err
}

// revokeLink ends a client's subscription URL. Fault: not_found (404).
func (c *clients) revokeLink(ctx context.Context, id string) error {
	return c.relink(ctx, id, clientsapi.FlowPublicLinkRevoked, func(row *clientRow) {
		row.PublicHash, row.PublicIssuedAt = nil, nil
	})
}

// relink changes the subscription of a client and says so in the journal of each flow that it uses.
func (c *clients) relink(ctx context.Context, id, change string, do func(row *clientRow)) error {
	before, err := c.store.get(ctx, id)
	if err != nil {
		return err
	}
	uses, err := c.store.uses(ctx, id)
	if err != nil {
		return err
	}
	err = c.store.db.InTx(ctx, func(ctx context.Context) error {
		for _, flowID := range flowsOf(uses[id]) {
			if err := c.flows.changed(ctx, flowID, change, before.Label); err != nil {
				return err
			}
		}
		row, err := c.living(ctx, id)
		if err != nil {
			return err
		}
		had := row.PublicHash != nil
		do(row)
		return c.used(ctx, row, map[string]audit.Change{"public_link": {From: had, To: row.PublicHash != nil}})
	})
	return database.Fault(err, nil)
}

// uses reports whether a client may use a flow.
func (c *clients) uses(ctx context.Context, flowID, id string) error {
	if !database.IsID(id) || !database.IsID(flowID) {
		return missing()
	}
	row, err := c.store.access(ctx, id, flowID)
	if err != nil {
		return err
	}
	if row == nil || row.RevokedAt != nil {
		return missing()
	}
	return nil
}
