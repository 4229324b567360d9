package clients

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"panel/modules/clients/clientsapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// Import adds clients that bring their secrets, all of them or none.
func (e exported) Import(ctx context.Context, brought []clientsapi.Brought) error {
	b := &batch{}
	for i := range brought {
		if err := b.bring(ctx, e.clients, &brought[i]); err != nil {
			return err
		}
	}
	err := e.store.db.InTx(ctx, func(ctx context.Context) error { return e.storeBatch(ctx, b) })
	return database.Fault(err, nil)
}

func (b *batch) bring(ctx context.Context, c *clients, in *clientsapi.Brought) error {
	label := strings.TrimSpace(in.Label)
	if label == "" {
		return fault.InvalidValue("label", "give the client a name")
	}
	row := c.made(ctx, label)
	row.Note, row.Tags, row.ExpiresAt, row.Enabled = in.Note, tagsOf(in.Tags), utc(in.ExpiresAt), !in.Disabled
	if in.Quota > 0 {
		row.limited(&Quota{Bytes: in.Quota, Reset: in.Reset}, row.CreatedAt)
	}
	row.UsedUp, row.UsedDown, row.TotalUp, row.TotalDown = in.Up, in.Down, in.Up, in.Down
	b.clients = append(b.clients, *row)
	for _, use := range in.Uses {
		access := &accessRow{ClientID: row.ID, FlowID: use.FlowID, Generation: 1, CreatedAt: row.CreatedAt}
		if err := access.seal(c.store.vault, broughtSecret(use)); err != nil {
			return fmt.Errorf("keep the secret of a client: %w", err)
		}
		b.accesses = append(b.accesses, *access)
		if at, known := slices.BinarySearch(b.flowIDs, use.FlowID); !known {
			b.flowIDs = slices.Insert(b.flowIDs, at, use.FlowID)
		}
	}
	return nil
}

// broughtSecret makes up what a client has not brought, so that it can use entries of other protocols too.
func broughtSecret(use clientsapi.BroughtUse) secret {
	made := newSecret()
	if use.UUID != "" {
		made.UUID = use.UUID
	}
	copy(made.Key, use.Key)
	made.Password = use.Password
	return made
}
