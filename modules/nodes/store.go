package nodes

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/nodes/internal/evidence"
	"panel/modules/nodes/internal/install"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/names"
)

// store holds the queries over nodes and their evidence.
type store struct {
	db        *database.DB
	heartbeat time.Duration
	address   string // of the panel, which agents are expected to dial
	totals    keyset.Totals[listFilter]
}

func newStore(db *database.DB, cfg *config.Config) *store {
	return &store{db: db, heartbeat: cfg.Duration(config.AgentHeartbeat, time.Second), address: install.OwnAddress(cfg)}
}

var constraints = map[string]*fault.Fault{
	"nodes_name": fault.Conflict("name_taken", "another node has this name"),
}

// views selects nodes beside their evidence; at is the moment for which states are derived.
func (s *store) views(at time.Time, args *database.Arguments) *bun.SelectQuery {
	return s.shown(beside(s.db.NewSelect().TableExpr("nodes AS n")), at, args)
}

func (s *store) shown(q *bun.SelectQuery, at time.Time, args *database.Arguments) *bun.SelectQuery {
	return q.ColumnExpr(database.Columns[nodeRow](s.db, "n")).
		ColumnExpr("r.seen_at, coalesce(r.core_state, 'unknown') AS core_state, coalesce(r.config_hash, '') AS config_hash").
		ColumnExpr("coalesce(r.cloned, false) AS cloned, r.report, r.metrics, r.config_result").
		ColumnExpr(s.stateAt(at, args) + " AS state")
}

func beside(q *bun.SelectQuery) *bun.SelectQuery {
	return q.Join("LEFT JOIN node_reports AS r ON r.node_id = n.id")
}

// stateAt is the state of a node from its evidence, as SQL.
func (s *store) stateAt(at time.Time, args *database.Arguments) string {
	if args == nil {
		return evidence.StateAt(at, s.heartbeat)
	}
	return evidence.StateBy(s.heartbeat, func(before time.Duration) string { return args.Place(at.Add(-before)) })
}

func (s *store) view(ctx context.Context, id string, at time.Time) (*viewRow, error) {
	var rows []viewRow
	args := new(database.Arguments)
	q := s.views(at, args).ColumnExpr("r.surroundings, r.carried").
		Join("LEFT JOIN node_traffic AS t ON t.node_id = n.id").
		ColumnExpr("coalesce(t.up, 0) AS used_up, coalesce(t.down, 0) AS used_down, t.since AS used_since").
		Where("n.id = ?::uuid", args.Add(id))
	if err := database.Read(ctx, s.db, &rows, q, args); err != nil {
		return nil, database.Fault(err, nil)
	}
	if len(rows) == 0 {
		return nil, fault.Missing(fault.NoSuchThing)
	}
	return &rows[0], nil
}

func (s *store) viewsOf(ctx context.Context, ids []string, at time.Time) ([]viewRow, error) {
	var rows []viewRow
	args := new(database.Arguments)
	q := s.views(at, args).ColumnExpr("r.surroundings").OrderExpr("n.name_key")
	if len(ids) > 0 {
		q = q.Where("n.id = ?", args.AnyOf(ids))
	}
	err := database.Read(ctx, s.db, &rows, q, args)
	return rows, database.Fault(err, nil)
}

// servingRow is as much of a node and its report as says whether it does what it shall.
type servingRow struct {
	ID                string
	Name              string
	Address           string
	AgentAccess       string
	SeenAt            *time.Time
	CoreState         string
	DesiredRevision   int64
	InstalledRevision int64
}

// serving gives nodes, or all without ids.
func (s *store) serving(ctx context.Context, ids []string) ([]servingRow, error) {
	var rows []servingRow
	args := new(database.Arguments)
	q := beside(s.db.NewSelect().TableExpr("nodes AS n")).
		ColumnExpr("n.id, n.name, n.address, n.agent_access, n.desired_revision, r.seen_at").
		ColumnExpr("coalesce(nullif(r.core_state, ''), 'unknown') AS core_state").
		ColumnExpr("coalesce((r.report #>> '{core,config_revision}')::bigint, 0) AS installed_revision")
	if len(ids) > 0 {
		q = q.Where("n.id = ?", args.AnyOf(ids))
	}
	err := database.Read(ctx, s.db, &rows, q, args)
	return rows, database.Fault(err, nil)
}

// statusRow is as much of a node and its report as says how it is.
type statusRow struct {
	ID          string
	Name        string
	Address     string
	AgentAccess string
	SeenAt      *time.Time
	State       string
	CoreState   string
	Wanted      bool
	Able        bool
	ProviderID  string
	CountryCode string
	Region      string
	Tags        []string `bun:"tags,array"`
}

// statuses gives all nodes, and whether their agents have named the capability.
func (s *store) statuses(ctx context.Context, capability string, at time.Time) ([]statusRow, error) {
	var rows []statusRow
	args := new(database.Arguments)
	q := beside(s.db.NewSelect().TableExpr("nodes AS n")).
		ColumnExpr("n.id, n.name, n.address, n.agent_access, n.country_code, n.region, n.tags, r.seen_at").
		ColumnExpr("n.desired_revision > 0 AS wanted, coalesce(n.provider_id, '') AS provider_id").
		ColumnExpr("coalesce(nullif(r.core_state, ''), 'unknown') AS core_state").
		ColumnExpr("coalesce(jsonb_exists(r.report->'capabilities', ?), false) AS able", args.Add(capability)).
		ColumnExpr(s.stateAt(at, args) + " AS state").OrderExpr("n.name_key")
	err := database.Read(ctx, s.db, &rows, q, args)
	return rows, database.Fault(err, nil)
}

// able gives nodes that were heard within two heartbeats and whose agent has named the capability.
func (s *store) able(ctx context.Context, capability string, most int, at time.Time) ([]viewRow, error) {
	var rows []viewRow
	args := new(database.Arguments)
	q := s.views(at, args).Where("n.agent_access = ? and r.seen_at > ?", accessGranted,
		args.Add(at.Add(-2*s.heartbeat))).
		Where("jsonb_exists(r.report->'capabilities', ?)", args.Add(capability)).Limit(int64(most))
	err := database.Read(ctx, s.db, &rows, q, args)
	return rows, database.Fault(err, nil)
}

// orders are what the list may be sorted by. Evidence changes while one pages through it; names and times of birth do
// not. States are sorted as they were at most a second ago, because the one of this moment would have to be derived for
// the whole fleet.
func (s *store) orders() map[string]keyset.Order {
	return map[string]keyset.Order{
		"name":         {Expression: "n.name_key", Kind: httpapi.CursorText},
		"created_at":   {Expression: "n.created_at", Kind: httpapi.CursorMoment},
		"country_code": {Expression: "n.country_code", Kind: httpapi.CursorText},
		"state":        {Expression: "n.listed_state", Kind: httpapi.CursorText},
		"last_seen_at": {Expression: "m.seen_at", Kind: httpapi.CursorMoment, ID: "m.node_id"},
		"cpu_pct":      {Expression: "m.cpu_pct", Kind: httpapi.CursorNumber, ID: "m.node_id"},
		"net_tx_bps":   {Expression: "m.net_tx_bps", Kind: httpapi.CursorNumber, ID: "m.node_id"},
	}
}

// measured reports whether the order is that of readings, which have indexes of their own.
func measured(k *keyset.Keyset) bool { return strings.HasPrefix(k.Expression, "m.") }

// list reads one page and the count of all that match, at most two statements at any size of the fleet: the page's keys
// are found first, from narrow rows, and only these nodes are read whole.
func (s *store) list(ctx context.Context, in *listInput, k *keyset.Keyset, at time.Time) ([]viewRow, int, error) {
	var rows []viewRow
	args := new(database.Arguments)
	if err := database.Read(ctx, s.db, &rows, s.page(in, k, at, args), args); err != nil {
		return nil, 0, database.Fault(err, nil)
	}
	total, err := s.total(ctx, in, at)
	return rows, total, err
}

func (s *store) page(in *listInput, k *keyset.Keyset, at time.Time, args *database.Arguments) *bun.SelectQuery {
	keys := k.Apply(s.keys(in, k, at, args).ColumnExpr("n.id").ColumnExpr("("+k.Expression+") AS sort_value"), args)
	return s.shown(s.db.NewSelect().TableExpr("(?) AS p", keys).Join(ofPage), at, args).ColumnExpr("p.sort_key").
		OrderExpr(k.SortedBy("p.sort_value", "p.id"))
}

// ofPage looks each node of a page up by itself: as an ordinary join, the database would rather read the whole fleet.
const ofPage = `CROSS JOIN LATERAL (SELECT * FROM nodes WHERE id = p.id LIMIT 1) AS n
	LEFT JOIN LATERAL (SELECT * FROM node_reports WHERE node_id = p.id LIMIT 1) AS r ON true`

const readings = "JOIN node_readings AS m ON m.node_id = n.id"

// matching is the nodes that the filter keeps.
func (s *store) matching(in *listInput, at time.Time, args *database.Arguments) *bun.SelectQuery {
	q := s.filtered(s.db.NewSelect().TableExpr("nodes AS n"), in, at, args)
	if in.State != "" {
		q = beside(q)
	}
	return q
}

// keys is the same with what the order is about.
func (s *store) keys(in *listInput, k *keyset.Keyset, at time.Time, args *database.Arguments) *bun.SelectQuery {
	q := s.matching(in, at, args)
	if measured(k) {
		return q.Join(readings)
	}
	return q
}

// listFilter is what a count depends on.
type listFilter struct{ state, tag, role, country, query string }

// total is remembered for a second: evidence reaches the database once a second, so that a fresher count of a state
// would not be truer; who changes a node here sees it counted at once, and what another panel changed a second later.
func (s *store) total(ctx context.Context, in *listInput, at time.Time) (int, error) {
	f := listFilter{in.State, in.Tag, in.Role, in.Country, in.Query}
	return s.totals.Of(f, at, func() (int, error) {
		args := new(database.Arguments)
		var n []int
		if err := database.Read(ctx, s.db, &n, s.matching(in, at, args).ColumnExpr("count(*)"), args); err != nil {
			return 0, database.Fault(err, nil)
		}
		return n[0], nil
	})
}

// attention is a filter by state and no state: nodes that do not do well.
const attention = "attention"

// inState keeps nodes in a state: those that were in it lately, found by an index, and of these the ones that still
// are. The second part says it by what they are not, so that the planner knows that most of them match and walks the
// order of the page.
func (s *store) inState(q *bun.SelectQuery, state string, at time.Time, args *database.Arguments) *bun.SelectQuery {
	wanted := []string{state}
	if state == attention {
		wanted = []string{"degraded", "offline"}
	}
	others := slices.DeleteFunc([]string{"pending", "online", "degraded", "offline", "maintenance", "disabled"},
		func(o string) bool { return slices.Contains(wanted, o) })
	return q.Where("n.listed_state IN (?)", bun.List(wanted)).Where("("+s.stateAt(at, args)+") <> ALL(?)", pgdialect.Array(others))
}

func (s *store) filtered(q *bun.SelectQuery, in *listInput, at time.Time, args *database.Arguments) *bun.SelectQuery {
	if in.State != "" {
		q = s.inState(q, in.State, at, args)
	}
	if in.Tag != "" {
		q = q.Where("n.tags @> ?", args.Add([]string{in.Tag}))
	}
	if in.Role != "" {
		q = q.Where("n.roles @> ?", args.Add([]string{in.Role}))
	}
	if in.Country != "" {
		q = q.Where("n.country_code = ?", args.Add(strings.ToUpper(in.Country)))
	}
	if in.Query != "" {
		part := args.Add("%" + escapeLike(strings.ToLower(in.Query)) + "%")
		q = q.Where("(n.name_key LIKE ? OR n.address ILIKE ? OR array_to_string(n.tags, ' ') ~ ?)", part,
			part, args.Add(names.Pattern(in.Query)))
	}
	return q
}

func escapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// locked reads a node for a change that ends with the transaction.
func (s *store) locked(ctx context.Context, tx bun.IDB, id string) (*nodeRow, error) {
	row := new(nodeRow)
	err := tx.NewSelect().Model(row).Where("n.id = ?", id).For("UPDATE").Scan(ctx)
	return row, database.Fault(err, nil)
}

// held locks nodes against deletion, in the order of their ids, and gives those that are there.
func (s *store) held(ctx context.Context, ids []string) (there []string, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.db.In(ctx).NewRaw("select id from nodes where id = any(?::uuid[]) order by id for key share",
		pgdialect.Array(ids)).Scan(ctx, &there)
	return there, database.Fault(err, nil)
}

func (s *store) insert(ctx context.Context, tx bun.IDB, row *nodeRow) error {
	row.NameKey = strings.ToLower(row.Name)
	_, err := tx.NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

// update writes a node and lists it under the state that follows, so that whoever changed it finds it there.
func (s *store) update(ctx context.Context, tx bun.IDB, row *nodeRow, at time.Time) error {
	row.NameKey = strings.ToLower(row.Name)
	if _, err := tx.NewUpdate().Model(row).WherePK().ExcludeColumn("announced_state", "listed_state", "state_since").
		Exec(ctx); err != nil {
		return database.Fault(err, constraints)
	}
	_, err := tx.NewRaw(`update nodes set listed_state = s.state, state_since = ?1 from (
		select `+s.stateAt(at, nil)+` as state from nodes n left join node_reports r on r.node_id = n.id where n.id = ?0) s
		where id = ?0 and listed_state <> s.state`, row.ID, at).Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) delete(ctx context.Context, tx bun.IDB, id string) error {
	_, err := tx.NewDelete().Model((*nodeRow)(nil)).Where("id = ?", id).Exec(ctx)
	return database.Fault(err, nil)
}

// names gives which of the wanted names are taken, for a name that the panel makes itself.
func (s *store) names(ctx context.Context, tx bun.IDB, like string) (map[string]bool, error) {
	var taken []string
	err := tx.NewSelect().TableExpr("nodes AS n").ColumnExpr("n.name_key").
		Where("n.name_key LIKE ?", escapeLike(like)+"%").Scan(ctx, &taken)
	found := map[string]bool{}
	for _, name := range taken {
		found[name] = true
	}
	return found, database.Fault(err, nil)
}

// mostNamed is how many nodes can be named in one question.
const mostNamed = 200

// brief reads narrow rows alone: no report, no reading, no count. Fault: bad_parameter (400).
func (s *store) brief(ctx context.Context, in *briefInput) ([]Brief, error) {
	var rows []Brief
	args := new(database.Arguments)
	q := s.filtered(s.db.NewSelect().TableExpr("nodes AS n"), &listInput{Query: in.Query}, time.Time{}, args).
		ColumnExpr("n.id, n.name, n.country_code, n.city, n.listed_state AS state").
		OrderExpr("n.name_key, n.id").Limit(int64(in.Limit))
	if in.IDs != "" {
		ids := strings.Split(in.IDs, ",")
		if len(ids) > mostNamed {
			return nil, fault.Malformed("bad_parameter", "too many nodes are named at once").
				Field("query.ids", "bad_parameter", "at most 200 ids with commas between them")
		}
		q = q.Where("n.id = ?", args.AnyOf(database.OnlyIDs(ids))).Limit(mostNamed)
	}
	err := database.Read(ctx, s.db, &rows, q, args)
	return rows, database.Fault(err, nil)
}

// listenersOn gives the sockets of the desired configuration of the node.
func (s *store) listenersOn(
	ctx context.Context, db bun.IDB, nodeID string, revision int64,
) ([]nodesapi.Listener, error) {
	var rows []struct {
		Listeners []nodesapi.Listener `bun:"listeners,type:jsonb"`
	}
	err := db.NewRaw("select listeners from node_configs where node_id = ? and revision = ?", nodeID, revision).
		Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	return rows[0].Listeners, nil
}

// flowsOf are those that have listeners on the node.
func flowsOf(listeners []nodesapi.Listener) []string {
	flows := []string{}
	for _, l := range listeners {
		if l.FlowID != "" {
			flows = append(flows, l.FlowID)
		}
	}
	slices.Sort(flows)
	return slices.Compact(flows)
}

// readings gives what these nodes carried last.
func (s *store) readings(ctx context.Context, ids []string) (map[string]nodesapi.Reading, error) {
	var rows []struct {
		NodeID  string           `bun:"node_id"`
		Carried nodesapi.Reading `bun:"carried,type:jsonb"`
	}
	err := s.db.In(ctx).NewRaw(`select node_id, carried from node_reports
		where node_id = any(?::uuid[]) and carried is not null`, pgdialect.Array(ids)).Scan(ctx, &rows)
	found := make(map[string]nodesapi.Reading, len(rows))
	for _, row := range rows {
		found[row.NodeID] = row.Carried
	}
	return found, database.Fault(err, nil)
}

// loads reads the newest samples of nodes.
func (s *store) loads(ctx context.Context, ids []string) (map[string]nodesapi.Load, error) {
	var rows []struct {
		NodeID  string          `bun:"node_id"`
		Metrics agentapi.Sample `bun:"metrics,type:jsonb"`
	}
	err := s.db.In(ctx).NewRaw(`select node_id, metrics from node_reports
		where node_id = any(?::uuid[]) and metrics is not null`, pgdialect.Array(ids)).Scan(ctx, &rows)
	found := make(map[string]nodesapi.Load, len(rows))
	for i := range rows {
		m := &rows[i].Metrics
		found[rows[i].NodeID] = nodesapi.Load{
			ObservedAt: m.ObservedAt, CPU: m.CPUPercent, Memory: evidence.Percent(m.MemUsed, m.MemTotal),
			Disk: evidence.Percent(m.DiskUsed, m.DiskTotal),
		}
	}
	return found, database.Fault(err, nil)
}
