package records

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"panel/modules/cdn-dns/internal/provider"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/lease"
)

// Conflict is a record of somebody else at the name, which the panel does not touch.
type Conflict struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// settle makes the records of a binding what it wants: what is missing is written first, so that the name never leads
// nowhere, then what is not wanted any more is removed. Records of somebody else stop the writing and are given back.
func (e *Engine) settle(
	ctx context.Context, c *lease.Claim, h Holder, want wish, own []written,
) (conflicts []Conflict, wrote bool, err error) {
	if len(want.records) > 0 {
		there, err := h.Client.Records(ctx, h.Zone, want.records[0].Name)
		if err != nil {
			return nil, false, err
		}
		if conflicts = strangers(there, want, own); len(conflicts) > 0 {
			return conflicts, false, nil
		}
		for _, wanted := range want.records {
			written, err := e.write(ctx, c, h, wanted, own, there)
			if wrote = wrote || written; err != nil {
				return nil, wrote, err
			}
		}
	}
	return nil, wrote, e.tidy(ctx, c, want, own)
}

// tidy removes the records that are not wanted any more.
func (e *Engine) tidy(ctx context.Context, c *lease.Claim, want wish, own []written) error {
	for i := range own {
		if _, wanted := want.like(own[i].record()); wanted {
			continue
		}
		if err := e.remove(ctx, c, &own[i]); err != nil {
			return err
		}
	}
	return nil
}

// like gives the wanted record that says the same as another one, whatever their TTL is.
func (w wish) like(r provider.Record) (provider.Record, bool) {
	for _, wanted := range w.records {
		if alike(wanted, r) {
			return wanted, true
		}
	}
	return provider.Record{}, false
}

// settled tells whether nothing has to be asked of the provider.
func settled(want wish, own []written) bool {
	for i := range own {
		wanted, is := want.like(own[i].record())
		if !is || own[i].Phase == phaseIntent || own[i].Phase == phaseWritten && own[i].TTL != wanted.TTL {
			return false
		}
	}
	return len(own) >= len(want.records)
}

// strangers are the addresses and aliases at the name that are neither wanted nor the panel's.
func strangers(there []provider.Record, want wish, own []written) []Conflict {
	var found []Conflict
	for _, r := range there {
		ours := slices.ContainsFunc(own, func(o written) bool { return o.Phase != phaseFound && alike(o.record(), r) })
		_, wanted := want.like(r)
		if r.Type != provider.TypeTXT && !ours && !wanted {
			found = append(found, Conflict{Type: r.Type, Name: r.Name, Value: r.Value})
		}
	}
	return found
}

// alike compares two records but for whether a network stands in front.
func alike(a, b provider.Record) bool {
	a.Proxied, b.Proxied = false, false
	return a.Same(b)
}

// write sees to it that one record stands, and tells whether it had to be written. What it is about to do is noted
// first, and whether the record stood there before: it is then not the panel's.
func (e *Engine) write(
	ctx context.Context, c *lease.Claim, h Holder, wanted provider.Record, own []written, there []provider.Record,
) (wrote bool, err error) {
	row := noted(own, wanted)
	at := slices.IndexFunc(there, func(r provider.Record) bool { return alike(r, wanted) })
	switch {
	case row == nil && at >= 0:
		return false, e.note(ctx, c, h, wanted, phaseFound, there[at].ID)
	case row == nil:
		err = e.note(ctx, c, h, wanted, phaseIntent, "")
	case at >= 0 && row.Phase == phaseIntent: // a panel died after the provider had written it
		return true, e.note(ctx, c, h, wanted, phaseWritten, there[at].ID)
	case at >= 0 && (row.Phase == phaseFound || row.TTL == wanted.TTL):
		return false, nil
	case at >= 0:
		err = h.Client.Remove(ctx, h.Zone, there[at]) // for another TTL
	}
	if err != nil {
		return false, err
	}
	made, err := h.Client.Add(ctx, h.Zone, wanted)
	if err != nil {
		return false, err
	}
	return true, e.note(ctx, c, h, wanted, phaseWritten, made.Record.ID)
}

func noted(own []written, wanted provider.Record) *written {
	for i := range own {
		if alike(own[i].record(), wanted) {
			return &own[i]
		}
	}
	return nil
}

// note stores how far a record is. What was written is told in the journal.
func (e *Engine) note(
	ctx context.Context, c *lease.Claim, h Holder, r provider.Record, phase, providerID string,
) error {
	row := &written{
		ID: database.NewID(), DomainID: c.ID, IntegrationID: h.IntegrationID, ZoneID: h.Zone.ID, Zone: h.Zone.Name,
		Hostname: r.Name, Type: r.Type, Value: r.Value, TTL: r.TTL, ProviderID: providerID, Phase: phase,
		WrittenAt: e.now(),
	}
	return c.InTx(ctx, func(ctx context.Context) error {
		_, err := e.DB.In(ctx).NewInsert().Model(row).On("conflict (domain_id, hostname, type, value) do update").
			Set("integration_id = excluded.integration_id, zone_id = excluded.zone_id, zone = excluded.zone").
			Set("ttl = excluded.ttl, provider_id = excluded.provider_id, phase = excluded.phase").
			Set("written_at = excluded.written_at").Exec(ctx)
		if err != nil || phase != phaseWritten {
			return database.Fault(err, nil)
		}
		return e.journalRecord(ctx, ActionWritten, r)
	})
}

func (e *Engine) journalRecord(ctx context.Context, action string, r provider.Record) error {
	return e.Journal.Record(ctx, e.DB.In(ctx), audit.Entry{
		Action: action, Object: audit.Object{Type: Object, ID: r.Name, Name: r.Name},
		Changes: map[string]audit.Change{"type": {To: r.Type}, "value": {To: r.Value}},
	})
}

// remove takes away a record that the panel has written. One that somebody else has changed since is not the panel's
// any more, and without its integration nobody can remove it: both are left where they are.
func (e *Engine) remove(ctx context.Context, c *lease.Claim, r *written) error {
	removed := false
	if r.Phase != phaseFound {
		client, err := e.Open(ctx, r.IntegrationID)
		switch {
		case fault.KindOf(err) == fault.KindMissing:
		case err != nil:
			return err
		default:
			if removed, err = take(ctx, client, r); err != nil {
				return err
			}
		}
	}
	return c.InTx(ctx, func(ctx context.Context) error {
		if _, err := e.DB.In(ctx).NewDelete().Model(r).WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("forget a record: %w", err), nil)
		}
		if !removed {
			return nil
		}
		return e.journalRecord(ctx, ActionRemoved, r.record())
	})
}

func take(ctx context.Context, client *provider.Client, r *written) (removed bool, err error) {
	there, err := client.Records(ctx, r.zone(), r.Hostname)
	if errors.Is(err, provider.ErrNoZone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	stands := slices.IndexFunc(there, func(at provider.Record) bool { return alike(at, r.record()) })
	if stands < 0 {
		return false, nil
	}
	return true, client.Remove(ctx, r.zone(), there[stands])
}
