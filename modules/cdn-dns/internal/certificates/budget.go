package certificates

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"
	"golang.org/x/net/publicsuffix"

	"panel/platform/database"
	"panel/platform/fault"
)

// What Let's Encrypt issues in a week: new certificates for a registered domain, and certificates for the same names. A
// renewal is no new certificate.
const (
	mostNew        = 50
	mostDuplicates = 5
	budgetWindow   = 168 * time.Hour
)

// registered gives the registered domains of names, sorted: example.com of a.example.com, example.co.uk of
// *.example.co.uk.
func registered(names []string) []string {
	domains := make([]string, 0, len(names))
	for _, name := range names {
		name = strings.TrimPrefix(name, "*.")
		domain, err := publicsuffix.EffectiveTLDPlusOne(name)
		if err != nil {
			domain = name
		}
		domains = append(domains, domain)
	}
	slices.Sort(domains)
	return slices.Compact(domains)
}

// Budget is what is left for a registered domain at one authority.
type Budget struct {
	Domain    string     `json:"domain"`
	Directory string     `json:"directory" doc:"Address of the authority"`
	Issued    int        `json:"issued" doc:"New certificates of the last 168 hours; renewals do not count"`
	Limit     int        `json:"limit"`
	FreeAt    *time.Time `json:"free_at" doc:"When the oldest of them stops counting"`
}

// counts selects orders that count: those that the authority was asked to sign within the window, and those that will
// ask it soon.
const counts = "(o.asked_at > ?0 or o.finished_at is null)"

// Budgets lists the registered domains that certificates were issued for within the window.
func (e *Engine) Budgets(ctx context.Context) ([]Budget, error) {
	budgets := []Budget{}
	err := e.DB.In(ctx).NewRaw(`select domain, o.directory, count(*) as issued, `+fmt.Sprint(mostNew)+` as "limit",
			min(o.asked_at) + interval '168 hours' as free_at
		from certificate_orders o, unnest(o.domains) domain where not o.renewal and `+counts+`
		group by domain, o.directory order by domain, o.directory`, e.now().Add(-budgetWindow)).Scan(ctx, &budgets)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("count the certificates of domains: %w", err), nil)
	}
	return budgets, nil
}

// spend lets one order through and keeps others of the same domains waiting until it is written: the numbers hold for
// all panels together. Fault: certificate_budget_spent (409) with the time until the next one is free.
func (e *Engine) spend(ctx context.Context, o *order) error {
	for _, domain := range o.Domains {
		_, err := e.DB.In(ctx).NewRaw("select pg_advisory_xact_lock(731204518, hashtext(?))", domain).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("lock the budget of a domain: %w", err), nil)
		}
	}
	since := e.now().Add(-budgetWindow)
	same, err := e.counted(ctx, "o.names = ?2::text[]", since, o.Directory, pgdialect.Array(o.Names))
	if err != nil {
		return err
	}
	if same.N >= mostDuplicates {
		return e.spent("for the same names", same.Oldest)
	}
	for _, domain := range o.Domains {
		if o.Renewal {
			break
		}
		made, err := e.counted(ctx, "not o.renewal and ?2 = any(o.domains)", since, o.Directory, domain)
		if err != nil {
			return err
		}
		if made.N >= mostNew {
			return e.spent("for "+domain, made.Oldest)
		}
	}
	return nil
}

type tally struct {
	N      int
	Oldest *time.Time
}

func (e *Engine) counted(ctx context.Context, which string, args ...any) (t tally, err error) {
	err = e.DB.In(ctx).NewRaw("select count(*) as n, min(o.asked_at) as oldest from certificate_orders o where "+counts+
		" and o.directory = ?1 and "+which, args...).Scan(ctx, &t)
	if err != nil {
		return t, database.Fault(fmt.Errorf("count orders of certificates: %w", err), nil)
	}
	return t, nil
}

func (e *Engine) spent(what string, oldest *time.Time) error {
	after := time.Hour
	if oldest != nil {
		after = max(oldest.Add(budgetWindow).Sub(e.now()), time.Second)
	}
	return fault.Conflict("certificate_budget_spent",
		"the authority issues no more certificates "+what+" in this week; wait, or use another authority").
		After(after)
}
