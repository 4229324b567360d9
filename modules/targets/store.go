package targets

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/targets/internal/verdict"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// keptFor is how long a search stays with its results.
const keptFor = 30 * 24 * time.Hour

// searchRow is a search as the table keeps it.
type searchRow struct {
	bun.BaseModel `bun:"table:target_searches,alias:s"`

	ID          string                `bun:"id,pk,type:uuid"`
	NodeID      string                `bun:"node_id,type:uuid"`
	NodeName    string                `bun:"node_name"`
	Mode        string                `bun:"mode"`
	Targets     []agentapi.ScanTarget `bun:"targets,type:jsonb"`
	Total       int                   `bun:"total"`
	Concurrency int                   `bun:"concurrency"`
	Seconds     int                   `bun:"timeout_s"`
	State       string                `bun:"state"`
	Reason      string                `bun:"reason"`
	Scanned     int                   `bun:"scanned"`
	Found       int                   `bun:"found"`
	Announced   *int                  `bun:"announced"` // results that the agent says are on their way
	CommandID   string                `bun:"command_id,type:uuid"`
	AccountID   string                `bun:"account_id,type:uuid"`
	StartedBy   string                `bun:"started_by"`
	CreatedAt   time.Time             `bun:"created_at"`
	EndsBy      time.Time             `bun:"ends_by"`
	EndedAt     *time.Time            `bun:"ended_at"`
	SortKey     string                `bun:"sort_key,scanonly"`
}

func (r *searchRow) object() audit.Object {
	return audit.Object{Type: object, ID: r.ID, Name: r.NodeName}
}

func (r *searchRow) shown() Search {
	search := Search{
		ID: r.ID, NodeID: r.NodeID, NodeName: r.NodeName, Mode: r.Mode, State: r.State, Reason: r.Reason,
		Total: r.Total, Scanned: r.Scanned, Found: r.Found, StartedBy: r.StartedBy, CreatedAt: r.CreatedAt.UTC(),
		Limits: Limits{Concurrency: r.Concurrency, Seconds: r.Seconds}, ExpiresAt: r.CreatedAt.Add(keptFor).UTC(),
	}
	if r.EndedAt != nil {
		at := r.EndedAt.UTC()
		search.EndedAt = &at
	}
	return search
}

// resultRow is a result as the table keeps it.
type resultRow struct {
	bun.BaseModel `bun:"table:target_results,alias:r"`

	ID          string                 `bun:"id,pk,type:uuid"`
	SearchID    string                 `bun:"search_id,type:uuid"`
	Number      int                    `bun:"number"` // of the target in the search
	NodeID      string                 `bun:"node_id,type:uuid"`
	Target      string                 `bun:"target"`
	ServerName  string                 `bun:"server_name"`
	Finding     agentapi.TargetFinding `bun:"finding,type:jsonb"`
	Suitability string                 `bun:"suitability"`
	Score       int                    `bun:"score"`
	Latency     float64                `bun:"latency_ms"`
	Reasons     []verdict.Reason       `bun:"reasons,type:jsonb"`
	CheckedAt   time.Time              `bun:"checked_at"`
	ValidUntil  time.Time              `bun:"valid_until"`
	SortKey     string                 `bun:"sort_key,scanonly"`
}

func (r *resultRow) shown(now time.Time) Result {
	f := r.Finding
	result := Result{
		ID: r.ID, SearchID: r.SearchID, NodeID: r.NodeID, Target: r.Target, ServerName: r.ServerName, IP: f.IP,
		TLSVersion: f.TLSVersion, ALPN: f.ALPN, Group: f.Group, PostQuantum: verdict.PostQuantum(f.Group),
		HTTP3: f.HTTP3, RedirectsTo: f.RedirectsTo, IsCDN: f.CDN != "", CDN: f.CDN, NameMatches: f.NameMatches,
		OCSP: f.OCSP, Suitability: r.Suitability, Score: r.Score, Reasons: r.Reasons, CheckedAt: r.CheckedAt.UTC(),
		ValidUntil: r.ValidUntil.UTC(), Fresh: now.Before(r.ValidUntil),
	}
	if f.Failure == "" || f.Failure == agentapi.TargetNoTLS {
		result.Latency = &r.Latency
	}
	if c := f.Certificate; c != nil {
		result.Certificate = &Certificate{
			Subject: c.Subject, Issuer: c.Issuer, NotAfter: c.NotAfter, ChainValid: c.ChainValid,
			NameValid: c.NameValid, Names: append([]string{}, c.Names...),
		}
	}
	return result
}

func hostPort(t agentapi.ScanTarget) string { return net.JoinHostPort(t.Host, strconv.Itoa(t.Port)) }

// store is rows and queries; it knows no rules. Each query takes part in the context's transaction.
type store struct{ db *database.DB }

var constraints = map[string]*fault.Fault{
	"target_searches_running": fault.Conflict("search_active", "a search runs on this node already; wait or cancel it"),
}

var searchOrders = map[string]keyset.Order{"created_at": {Expression: "s.created_at", Kind: httpapi.CursorMoment}}

func (s *store) page(ctx context.Context, in *listInput) (page httpapi.Page[Search], err error) {
	k, err := keyset.New(in.PageQuery, "s.id", "-created_at", searchOrders)
	if err != nil {
		return page, err
	}
	of := func(q *bun.SelectQuery) *bun.SelectQuery {
		if in.NodeID != "" {
			return q.Where("s.node_id::text = ?", in.NodeID)
		}
		return q
	}
	var rows []searchRow
	if err := k.Apply(of(s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("s.*")), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list searches: %w", err), nil)
	}
	total, err := of(s.db.In(ctx).NewSelect().Model((*searchRow)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count searches: %w", err), nil)
	}
	last := func(r *searchRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*searchRow).shown, last), nil
}

var resultOrders = map[string]keyset.Order{
	"score":      {Expression: "r.score", Kind: httpapi.CursorNumber},
	"latency_ms": {Expression: "r.latency_ms", Kind: httpapi.CursorNumber},
	"target":     {Expression: "r.target", Kind: httpapi.CursorText},
}

func (s *store) results(ctx context.Context, in *resultsInput, now time.Time) (page httpapi.Page[Result], err error) {
	k, err := keyset.New(in.PageQuery, "r.id", "-score", resultOrders)
	if err != nil {
		return page, err
	}
	if _, err := s.get(ctx, in.ID); err != nil {
		return page, err
	}
	of := func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("r.search_id = ?", in.ID)
		if in.Suitability != "" {
			q = q.Where("r.suitability = ?", in.Suitability)
		}
		return q
	}
	var rows []resultRow
	if err := k.Apply(of(s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("r.*")), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list results: %w", err), nil)
	}
	total, err := of(s.db.In(ctx).NewSelect().Model((*resultRow)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count results: %w", err), nil)
	}
	last := func(r *resultRow) (sortKey, id string) { return r.SortKey, r.ID }
	shown := func(r *resultRow) Result { return r.shown(now) }
	return keyset.Page(k, rows, int(total), shown, last), nil
}

func (s *store) get(ctx context.Context, id string) (row searchRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("s.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// lock is get, and nobody else changes the row until the transaction ends.
func (s *store) lock(ctx context.Context, id string) (row searchRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("s.id = ?", id).For("UPDATE").Scan(ctx)
	return row, database.Fault(err, nil)
}

func (s *store) insert(ctx context.Context, row *searchRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) update(ctx context.Context, row *searchRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).
		Column("state", "reason", "scanned", "found", "announced", "ended_at").WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

// usage is how many targets were tried lately.
type usage struct {
	Node    int       `bun:"node"`
	Account int       `bun:"account"`
	Oldest  time.Time `bun:"oldest"`
}

// used counts the targets of searches since a moment, and keeps others from starting one until the transaction ends.
func (s *store) used(ctx context.Context, nodeID, accountID string, since time.Time) (u usage, err error) {
	if _, err := s.db.In(ctx).ExecContext(ctx, "lock table target_searches in share row exclusive mode"); err != nil {
		return u, database.Fault(fmt.Errorf("lock the searches: %w", err), nil)
	}
	err = s.db.In(ctx).NewRaw(`select coalesce(sum(total) filter (where node_id = ?0), 0) as node,
		coalesce(sum(total) filter (where account_id = ?1), 0) as account, coalesce(min(created_at), ?2) as oldest
		from target_searches where created_at > ?2 and (node_id = ?0 or account_id = ?1)`,
		nodeID, accountID, since).Scan(ctx, &u)
	return u, database.Fault(err, nil)
}

// add stores results; those that are there already stay.
func (s *store) add(ctx context.Context, rows []resultRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(&rows).On("conflict (search_id, number) do nothing").Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) counted(ctx context.Context, searchID string) (scanned, found int, err error) {
	err = s.db.In(ctx).NewRaw(`select count(*), count(*) filter (where suitability in ('suitable', 'acceptable'))
		from target_results where search_id = ?`, searchID).Scan(ctx, &scanned, &found)
	return scanned, found, database.Fault(err, nil)
}

// overdue lists searches that run and should have ended before a moment.
func (s *store) overdue(ctx context.Context, before time.Time) (ids []string, err error) {
	err = s.db.In(ctx).NewSelect().Model((*searchRow)(nil)).Column("id").
		Where("state = ? and ends_by < ?", stateRunning, before).Scan(ctx, &ids)
	return ids, database.Fault(err, nil)
}

// byIDs gives results by their ids; unknown ones are left out.
func (s *store) byIDs(ctx context.Context, ids []string) (rows []resultRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).Where("r.id = any(?::uuid[])", pgdialect.Array(ids)).Scan(ctx)
	return rows, database.Fault(err, nil)
}

// fresh gives the newest result of a target for each node and name that counts at a moment.
func (s *store) fresh(
	ctx context.Context, target string, nodeIDs []string, now time.Time,
) (rows []resultRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).DistinctOn("r.node_id, r.server_name").
		Where("r.target = ? and r.node_id = any(?::uuid[]) and r.valid_until > ?", target, pgdialect.Array(nodeIDs), now).
		OrderExpr("r.node_id, r.server_name, r.checked_at desc").Scan(ctx, &rows)
	return rows, database.Fault(err, nil)
}

// over gives those of the searches that have ended.
func (s *store) over(ctx context.Context, ids []string) (rows []searchRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).Where("s.id = any(?::uuid[]) and s.state <> ?", pgdialect.Array(ids),
		stateRunning).Scan(ctx)
	return rows, database.Fault(err, nil)
}

// ofSearches gives what searches have found.
func (s *store) ofSearches(ctx context.Context, ids []string) (rows []resultRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).Where("r.search_id = any(?::uuid[])", pgdialect.Array(ids)).Scan(ctx)
	return rows, database.Fault(err, nil)
}
