package certificates

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/audit"
	"panel/platform/database"
)

// Pairs gives for each host name the certificate that is valid for it the longest, with its key; names that none covers
// are left out.
func (e *Engine) Pairs(ctx context.Context, hostnames ...string) (map[string]Pair, error) {
	asked := make([]string, 0, 2*len(hostnames))
	for _, name := range hostnames {
		asked = append(asked, name, wildcardOf(name))
	}
	slices.Sort(asked)
	var rows []row
	err := e.DB.In(ctx).NewSelect().Model(&rows).Where("c.chain <> '' and c.names && ?::text[]",
		pgdialect.Array(slices.Compact(asked))).OrderExpr("c.not_after, c.id").Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("look for certificates of host names: %w", err), nil)
	}
	opened, found := map[string]Pair{}, map[string]Pair{}
	for _, name := range hostnames {
		for i := len(rows) - 1; i >= 0; i-- {
			r := &rows[i]
			if !slices.Contains(r.Names, name) && !slices.Contains(r.Names, wildcardOf(name)) {
				continue
			}
			if _, done := opened[r.ID]; !done {
				key, err := e.Vault.Open(keyRef(r.ID), r.Key)
				if err != nil {
					return nil, fmt.Errorf("open the key of a certificate: %w", err)
				}
				opened[r.ID] = Pair{Chain: r.Chain, Key: string(key)}
			}
			found[name] = opened[r.ID]
			break
		}
	}
	return found, nil
}

// changed tells whoever gives certificates out that those for some names are others now, in the context's transaction.
func (e *Engine) changed(ctx context.Context, names []string) error {
	if e.Changed == nil {
		return nil
	}
	return e.Changed(ctx, names)
}

// Covers tells whether a certificate for names is one for the host name.
func Covers(names []string, hostname string) bool {
	return slices.Contains(names, hostname) || slices.Contains(names, wildcardOf(hostname))
}

// EndsSoon tells whether people are warned of the end of a certificate.
func EndsSoon(c Certificate, now time.Time) bool {
	return c.NotBefore != nil && c.NotAfter != nil && !now.Before(warnFrom(*c.NotBefore, *c.NotAfter))
}

// OrderFor orders a certificate on behalf of something that goes on when it is there, once however often it is asked
// for. The reason is why that order has failed; empty while it is on its way, or done.
func (e *Engine) OrderFor(ctx context.Context, id, purpose string) (reason string, err error) {
	authority, err := e.Settings(ctx)
	if err != nil {
		return "", err
	}
	err = e.DB.InTx(ctx, func(ctx context.Context) error {
		r, err := e.read(ctx, id, true)
		if err != nil || r.Ordered {
			return err
		}
		if r.OrderedFor == purpose {
			reason = r.LastError
			return nil
		}
		if err := e.begin(ctx, r, authority.Directory); err != nil {
			return err
		}
		r.OrderedFor = purpose
		if err := e.write(ctx, r, "ordered_for"); err != nil {
			return err
		}
		return e.Journal.Record(ctx, e.DB.In(ctx), audit.Entry{Action: ActionOrdered, Object: r.object()})
	})
	return reason, err
}
