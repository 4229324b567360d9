package certificates

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// Ensure gives the certificate that is ordered for a host name of a zone; a new one is not ordered yet. One that a node
// proves is for the host name alone. Fault: certificate_zone_unknown (422).
func (e *Engine) Ensure(ctx context.Context, hostname, zone string) (id string, err error) {
	way, found, err := e.Way(ctx, hostname)
	if err != nil {
		return "", err
	}
	if way == ChallengeHTTP || zone == "" {
		zone = found
	}
	names := NamesFor(hostname, zone)
	slices.Sort(names)
	now := e.now()
	made := row{
		ID: database.NewID(), Names: names, Source: FromAuthority, Challenge: way, CreatedAt: now, UpdatedAt: now,
	}
	err = e.DB.InTx(ctx, func(ctx context.Context) error {
		_, err := e.DB.In(ctx).NewInsert().Model(&made).On("conflict (names) where source = 'authority' do nothing").Exec(ctx)
		if err != nil {
			return err
		}
		return e.DB.In(ctx).NewRaw("select id from certificates where source = 'authority' and names = ?::text[]",
			pgdialect.Array(names)).Scan(ctx, &id)
	})
	if err != nil {
		return "", database.Fault(fmt.Errorf("look for the certificate of a host name: %w", err), nil)
	}
	return id, nil
}

// Order begins an order for a certificate, the first one or a renewal. While one is on its way there is no second one,
// whoever asks, and that is no error. A person may order before the pause after a failure is over, but not before the
// time that the authority asked for.
// Faults: not_found (404), certificate_held, certificate_budget_spent (409), invalid_value (422) for one that was
// uploaded.
func (e *Engine) Order(ctx context.Context, id string) error {
	authority, err := e.Settings(ctx)
	if err != nil {
		return err
	}
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		r, err := e.read(ctx, id, true)
		if err != nil || r.Ordered {
			return err
		}
		if err := e.begin(ctx, r, authority.Directory); err != nil {
			return err
		}
		return e.Journal.Record(ctx, e.DB.In(ctx), audit.Entry{Action: ActionOrdered, Object: r.object()})
	})
}

// begin inserts the order of a locked certificate.
func (e *Engine) begin(ctx context.Context, r *row, directory string) error {
	now := e.now()
	switch {
	case r.Source != FromAuthority:
		return fault.InvalidValue("id", "this certificate was uploaded; upload the next one")
	case r.HoldUntil != nil && r.HoldUntil.After(now):
		return fault.Conflict("certificate_held",
			"the authority has asked to wait until "+r.HoldUntil.UTC().Format(time.RFC3339)).
			After(r.HoldUntil.Sub(now))
	}
	o := &order{
		ID: database.NewID(), CertificateID: &r.ID, Directory: directory, Names: r.Names, Domains: registered(r.Names),
		Renewal: r.NotAfter != nil, Stage: stageNew, Records: []byte("[]"), CreatedAt: now,
	}
	if err := e.spend(ctx, o); err != nil {
		return err
	}
	if _, err := e.DB.In(ctx).NewInsert().Model(o).Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("order a certificate: %w", err), nil)
	}
	return e.Wake(ctx, o.ID)
}

// Remove deletes a certificate. What was issued for it goes on counting in the budget. Faults: not_found (404), and
// what Changed refuses it with.
func (e *Engine) Remove(ctx context.Context, id string) error {
	return e.DB.InTx(ctx, func(ctx context.Context) error {
		r, err := e.read(ctx, id, true)
		if err != nil {
			return err
		}
		if _, err := e.DB.In(ctx).NewDelete().Model(r).WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("remove a certificate: %w", err), nil)
		}
		if err := e.changed(ctx, r.Names); err != nil {
			return err
		}
		return e.Journal.Record(ctx, e.DB.In(ctx), audit.Entry{Action: ActionRemoved, Object: r.object()})
	})
}

// Pair is a certificate with its key, both as PEM.
type Pair struct{ Chain, Key string }

// Upload stores a certificate of the operator's own, in the place of an uploaded one for the same names. The panel
// warns of its end and does not renew it. Fault: invalid_value (422).
func (e *Engine) Upload(ctx context.Context, pair Pair) (shown Certificate, err error) {
	chain, key := []byte(pair.Chain), []byte(pair.Key)
	leaf, err := checkPair(chain, key)
	switch now := e.now(); {
	case err != nil:
	case len(leaf.DNSNames) == 0:
		err = errNames
	case now.Before(leaf.NotBefore) || !now.Before(leaf.NotAfter):
		err = errExpired
	}
	if err != nil {
		return shown, refusedPair(err)
	}
	names := slices.Compact(slices.Sorted(slices.Values(leaf.DNSNames)))
	err = e.DB.InTx(ctx, func(ctx context.Context) error {
		r, err := e.uploaded(ctx, names)
		if err != nil {
			return err
		}
		e.hold(r, leaf, chain, key)
		if err := e.write(ctx, r, held...); err != nil {
			return err
		}
		if err := e.changed(ctx, r.Names); err != nil {
			return err
		}
		shown = r.shown(e.now())
		return e.Journal.Record(ctx, e.DB.In(ctx), audit.Entry{Action: ActionUploaded, Object: r.object()})
	})
	return shown, err
}

// uploaded gives the row for what is uploaded for names, a new one where there is none.
func (e *Engine) uploaded(ctx context.Context, names []string) (*row, error) {
	now := e.now()
	made := &row{ID: database.NewID(), Names: names, Source: FromUpload, CreatedAt: now, UpdatedAt: now}
	var id string
	_, err := e.DB.In(ctx).NewRaw("select pg_advisory_xact_lock(731204519, hashtext(?))", fmt.Sprint(names)).Exec(ctx)
	if err == nil {
		err = e.DB.In(ctx).NewRaw(`select coalesce((select id::text from certificates
			where source = 'upload' and names = ?::text[]), '')`, pgdialect.Array(names)).Scan(ctx, &id)
	}
	if err == nil && id != "" {
		return e.read(ctx, id, true)
	}
	if err == nil {
		_, err = e.DB.In(ctx).NewInsert().Model(made).Exec(ctx)
	}
	if err != nil {
		return nil, database.Fault(fmt.Errorf("store an uploaded certificate: %w", err), nil)
	}
	return made, nil
}
