package certificates

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/domains/domainsapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/vault"
)

// Where a certificate comes from.
const (
	FromAuthority = "authority"
	FromUpload    = "upload"
)

// States of a certificate.
const (
	StateNone     = "none"     // nothing was ordered
	StateIssuing  = "issuing"  // the first order is on its way
	StateValid    = "valid"    // in use
	StateExpiring = "expiring" // in use, and less than a third of its lifetime is left
	StateExpired  = "expired"  // over
	StateFailed   = "failed"   // the last order failed; what was there before stays in use
)

// row is a certificate as it is stored.
type row struct {
	bun.BaseModel `bun:"table:certificates,alias:c"`

	ID          string     `bun:"id,pk,type:uuid"`
	Names       []string   `bun:"names,array"`
	Source      string     `bun:"source"`
	Challenge   string     `bun:"challenge"`
	Chain       string     `bun:"chain"`
	Key         string     `bun:"key"`
	Issuer      string     `bun:"issuer"`
	Serial      string     `bun:"serial"`
	Fingerprint string     `bun:"fingerprint"`
	NotBefore   *time.Time `bun:"not_before"`
	NotAfter    *time.Time `bun:"not_after"`
	RenewAt     *time.Time `bun:"renew_at"`
	AskAt       *time.Time `bun:"ask_at"`
	Failures    int        `bun:"failures"`
	LastError   string     `bun:"last_error"`
	RetryAt     *time.Time `bun:"retry_at"`
	HoldUntil   *time.Time `bun:"hold_until"`
	WarnedAt    *time.Time `bun:"warned_at"`
	OrderedFor  string     `bun:"ordered_for"` // purpose of OrderFor that has ordered it last
	CreatedAt   time.Time  `bun:"created_at"`
	UpdatedAt   time.Time  `bun:"updated_at"`
	Ordered     bool       `bun:"ordered,scanonly"` // an order is on its way
	SortKey     string     `bun:"sort_key,scanonly"`
}

// order is the process that fills a certificate.
type order struct {
	bun.BaseModel `bun:"table:certificate_orders,alias:o"`

	ID            string          `bun:"id,pk,type:uuid"`
	CertificateID *string         `bun:"certificate_id,type:uuid"`
	Directory     string          `bun:"directory"`
	Names         []string        `bun:"names,array"`
	Domains       []string        `bun:"domains,array"`
	Renewal       bool            `bun:"renewal"`
	Stage         string          `bun:"stage"`
	Key           string          `bun:"key"`
	Location      string          `bun:"location"`
	Records       json.RawMessage `bun:"records,type:jsonb"`
	AskedAt       *time.Time      `bun:"asked_at"`
	Error         string          `bun:"error"`
	CreatedAt     time.Time       `bun:"created_at"`
	FinishedAt    *time.Time      `bun:"finished_at"`
}

func keyRef(id string) vault.Ref { return vault.Ref{Table: "certificates", ID: id, Column: "key"} }

func orderRef(id string) vault.Ref {
	return vault.Ref{Table: "certificate_orders", ID: id, Column: "key"}
}

func accountRef(id string) vault.Ref {
	return vault.Ref{Table: "certificate_accounts", ID: id, Column: "key"}
}

func (r *row) object() audit.Object {
	return audit.Object{Type: Object, ID: r.ID, Name: strings.Join(r.Names, ", ")}
}

// state says how a certificate stands at a moment.
func (r *row) state(now time.Time) string {
	switch {
	case r.NotAfter == nil && r.LastError != "" && !r.Ordered:
		return StateFailed
	case r.NotAfter == nil && r.Ordered:
		return StateIssuing
	case r.NotAfter == nil:
		return StateNone
	case !now.Before(*r.NotAfter):
		return StateExpired
	case r.LastError != "":
		return StateFailed
	case !now.Before(thirdLeft(*r.NotBefore, *r.NotAfter)):
		return StateExpiring
	}
	return StateValid
}

// thirdLeft is when a third of the lifetime is left: 30 of 90 days.
func thirdLeft(from, until time.Time) time.Time { return until.Add(-until.Sub(from) / 3) }

// warnFrom is when people are told: 14 days before the end, or when a sixth of a shorter lifetime is left.
func warnFrom(from, until time.Time) time.Time {
	const usual = 14 * 24 * time.Hour
	return until.Add(-min(usual, until.Sub(from)/6))
}

// Certificate is what is shown of a certificate.
type Certificate struct {
	ID          string     `json:"id" format:"uuid"`
	Names       []string   `json:"names"`
	Source      string     `json:"source" enum:"authority,upload"`
	State       string     `json:"state" enum:"none,issuing,valid,expiring,expired,failed"`
	Issuer      string     `json:"issuer"`
	Serial      string     `json:"serial"`
	Fingerprint string     `json:"fingerprint" doc:"SHA-256 of the certificate"`
	Challenge   string     `json:"challenge"`
	NotBefore   *time.Time `json:"not_before"`
	NotAfter    *time.Time `json:"not_after"`
	RenewAt     *time.Time `json:"renew_at" doc:"When the panel orders the next one"`
	LastError   string     `json:"last_error"`
	RetryAt     *time.Time `json:"retry_at" doc:"When the panel tries again after a failure"`
	CreatedAt   time.Time  `json:"created_at"`
}

func (r *row) shown(now time.Time) Certificate {
	return Certificate{
		ID: r.ID, Names: r.Names, Source: r.Source, State: r.state(now), Issuer: r.Issuer, Serial: r.Serial,
		Fingerprint: r.Fingerprint, Challenge: r.Challenge, NotBefore: utc(r.NotBefore), NotAfter: utc(r.NotAfter),
		RenewAt: utc(r.RenewAt), LastError: r.LastError, RetryAt: utc(r.RetryAt), CreatedAt: r.CreatedAt.UTC(),
	}
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	moment := at.UTC()
	return &moment
}

const isOrdered = "exists (select from certificate_orders o where o.certificate_id = c.id and o.finished_at is null)"

// read gives a certificate, with its row locked until the end of the transaction if lock says so.
// Fault: not_found (404).
func (e *Engine) read(ctx context.Context, id string, lock bool) (*row, error) {
	if lock { // by itself: what is read afterwards is what whoever held the lock has left
		_, err := e.DB.In(ctx).NewRaw("select from certificates where id = ? for update", id).Exec(ctx)
		if err != nil {
			return nil, database.Fault(err, nil)
		}
	}
	found := new(row)
	err := e.DB.In(ctx).NewSelect().Model(found).ColumnExpr("c.*").ColumnExpr(isOrdered+" as ordered").
		Where("c.id = ?", id).Scan(ctx)
	return found, database.Fault(err, nil)
}

func (e *Engine) write(ctx context.Context, r *row, columns ...string) error {
	r.UpdatedAt = e.now()
	_, err := e.DB.In(ctx).NewUpdate().Model(r).Column(append(columns, "updated_at")...).WherePK().Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("write a certificate: %w", err), nil)
	}
	return nil
}

// Covering gives for each host name the certificate that is valid for it the longest, by name or by a wildcard; names
// that none covers are left out.
func (e *Engine) Covering(ctx context.Context, hostnames ...string) (map[string]Certificate, error) {
	asked := make([]string, 0, 2*len(hostnames))
	for _, name := range hostnames {
		asked = append(asked, name, wildcardOf(name))
	}
	var rows []row
	err := e.DB.In(ctx).NewSelect().Model(&rows).ExcludeColumn("chain", "key").ColumnExpr(isOrdered+" as ordered").
		Where("c.names && ?::text[]", pgdialect.Array(asked)).OrderExpr("c.not_after nulls first, c.id").Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("look for certificates of host names: %w", err), nil)
	}
	found, now := map[string]Certificate{}, e.now()
	for _, name := range hostnames {
		for i := range rows {
			if slices.Contains(rows[i].Names, name) || slices.Contains(rows[i].Names, wildcardOf(name)) {
				found[name] = rows[i].shown(now)
			}
		}
	}
	return found, nil
}

// Source tells bindings how the certificate stands that Covering gives for their host names.
func Source() domainsapi.Source {
	return domainsapi.Source{
		Name: "certificates",
		SQL: `select n.id as domain_id, c.known from p n cross join lateral (
				select json_build_object('issuer', c.issuer, 'challenge', c.challenge, 'last_error', c.last_error,
					'not_before', c.not_before, 'not_after', c.not_after, 'ordered', ` + isOrdered + `) as known
				from certificates c
				where c.names && array[n.hostname, '*' || substr(n.hostname, strpos(n.hostname, '.'))]
				order by c.not_after desc nulls last, c.id desc limit 1) c`,
		Read: stateFrom,
	}
}

func stateFrom(known []byte, now time.Time) (domainsapi.State, error) {
	var c struct {
		Issuer    string     `json:"issuer"`
		Challenge string     `json:"challenge"`
		LastError string     `json:"last_error"`
		NotBefore *time.Time `json:"not_before"`
		NotAfter  *time.Time `json:"not_after"`
		Ordered   bool       `json:"ordered"`
	}
	if err := json.Unmarshal(known, &c); err != nil {
		return domainsapi.State{}, err
	}
	r := row{NotBefore: c.NotBefore, NotAfter: c.NotAfter, LastError: c.LastError, Ordered: c.Ordered}
	state := &domainsapi.Certificate{
		State: r.state(now), Issuer: c.Issuer, Challenge: c.Challenge, LastError: c.LastError,
	}
	if c.NotAfter != nil {
		state.NotAfter = *c.NotAfter
	}
	return domainsapi.State{Certificate: state}, nil
}

// wildcardOf is the wildcard that covers a host name.
func wildcardOf(hostname string) string {
	_, parent, _ := strings.Cut(hostname, ".")
	return "*." + parent
}

// NamesFor are the names of the certificate that a host name gets: one wildcard serves all nodes of a zone, and what
// lies deeper than a wildcard reaches has a certificate of its own.
func NamesFor(hostname, zone string) []string {
	if hostname == zone || wildcardOf(hostname) == "*."+zone {
		return []string{"*." + zone, zone}
	}
	return []string{hostname}
}
