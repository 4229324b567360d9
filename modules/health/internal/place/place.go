package place

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/internal/rules"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/names"
)

// Panel is the vantage of the panel itself.
const Panel = "00000000-0000-0000-0000-000000000000"

// Placer brings checks, watches and the documents of agents up to date.
type Placer struct {
	db        *database.DB
	fleet     nodesapi.Statuses
	configs   nodesapi.Configs
	documents nodesapi.Documents
	flows     flowsapi.Flows
	pools     poolsapi.Directory
	clock     clockwork.Clock
}

// New makes a placer.
func New(
	db *database.DB, fleet nodesapi.Statuses, configs nodesapi.Configs, documents nodesapi.Documents,
	flows flowsapi.Flows, pools poolsapi.Directory, clock clockwork.Clock,
) *Placer {
	return &Placer{db, fleet, configs, documents, flows, pools, clock}
}

// Place makes all follow from what is there now. It may be repeated at any time: what stays as it was keeps its
// evidence, and only agents whose watches change get another document.
func (p *Placer) Place(ctx context.Context) error {
	return p.db.InTx(ctx, func(ctx context.Context) error {
		_, err := p.db.In(ctx).ExecContext(ctx, "lock table health_checks in share row exclusive mode")
		if err != nil {
			return database.Fault(fmt.Errorf("lock the checks: %w", err), nil)
		}
		w, err := p.world(ctx)
		if err != nil {
			return err
		}
		subjects, checks, err := w.all()
		if err != nil {
			return err
		}
		before, err := p.placed(ctx)
		if err != nil {
			return err
		}
		checks = sorted(checks)
		if err := p.keepRuns(ctx, checks); err != nil {
			return err
		}
		pairs := pairsOf(checks, w.nodes)
		if err := p.store(ctx, subjects, checks, pairs); err != nil {
			return err
		}
		return p.tell(ctx, before, checks, pairs)
	})
}

const flowsAtOnce = 200

func (p *Placer) world(ctx context.Context) (w *world, err error) {
	w = &world{}
	if w.nodes, err = p.fleet.Statuses(ctx, string(agentapi.DocumentWatches.Capability())); err != nil {
		return nil, fmt.Errorf("read the nodes to watch: %w", err)
	}
	for after := ""; ; after = w.flows[len(w.flows)-1].ID {
		page, err := p.flows.Page(ctx, after, flowsAtOnce)
		if err != nil {
			return nil, fmt.Errorf("read the flows to watch: %w", err)
		}
		if len(page) == 0 {
			break
		}
		w.flows = append(w.flows, page...)
	}
	w.port = func(nodeID string) (int, error) { return p.port(ctx, nodeID) }
	if w.policies, err = Policies(ctx, p.db); err != nil {
		return w, err
	}
	w.pools, err = p.members(ctx, w.policies)
	return w, err
}

// members gives the pools that policies speak of by the nodes and flows that are members of them.
func (p *Placer) members(ctx context.Context, policies []rules.Named) (map[string][]string, error) {
	var ids []string
	for i := range policies {
		if policies[i].Scope.Kind == rules.Pool {
			ids = append(ids, policies[i].Scope.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	pools, err := p.pools.Pools(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("read the pools that health policies speak of: %w", err)
	}
	out := map[string][]string{}
	for _, pool := range pools {
		for _, id := range slices.Concat(pool.NodeIDs, pool.FlowIDs) {
			out[id] = append(out[id], pool.ID)
		}
	}
	return out, nil
}

// port is the lowest one on which a node's configuration listens for others.
func (p *Placer) port(ctx context.Context, nodeID string) (int, error) {
	config, err := p.configs.Desired(ctx, nodeID)
	if err != nil && !errors.Is(err, nodesapi.ErrUnknown) {
		return 0, fmt.Errorf("read where a node listens: %w", err)
	}
	lowest := 0
	for _, l := range config.Listeners {
		ip, err := netip.ParseAddr(l.IP)
		if l.L4 == agentapi.TCP && (err != nil || !ip.IsLoopback()) && (lowest == 0 || l.Port < lowest) {
			lowest = l.Port
		}
	}
	return lowest, nil
}

// Policies gives those that are on.
func Policies(ctx context.Context, db *database.DB) ([]rules.Named, error) {
	var rows []struct {
		ID, Name string
		Content  *rules.Policy `bun:",type:jsonb"`
	}
	err := db.In(ctx).NewRaw("select id, name, content from health_policies where enabled order by is_default desc, name, id").
		Scan(ctx, &rows)
	out := make([]rules.Named, len(rows))
	for i, row := range rows {
		out[i] = rules.Named{ID: row.ID, Name: row.Name, Policy: rules.Default()}
		if row.Content != nil {
			out[i].Policy = row.Content.Filled()
		}
	}
	return out, database.Fault(err, nil)
}

// pair is a check with one who looks at it.
type pair struct{ check, vantage string }

func pairsOf(checks []Check, nodes []nodesapi.Status) (out []pair) {
	r, can := watchers(nodes), map[string]bool{}
	for i := range nodes {
		can[nodes[i].ID] = able(&nodes[i])
	}
	for i := range checks {
		c := &checks[i]
		if c.Self {
			if can[c.NodeID] {
				out = append(out, pair{c.ID, c.NodeID})
			}
			continue
		}
		if c.Type == rules.Tunnel && !r.enters(c) {
			continue
		}
		if c.Policy.Vantages.Panel || c.PanelAlone {
			out = append(out, pair{c.ID, Panel})
		}
		if c.PanelAlone {
			continue
		}
		for _, node := range r.choose(c, c.Policy.Vantages.Agents) {
			out = append(out, pair{c.ID, node})
		}
	}
	return out
}

// placed gives the watches of each agent as they were.
func (p *Placer) placed(ctx context.Context) (map[string]map[string]string, error) {
	var rows []struct{ CheckID, Vantage, Watch string }
	err := p.db.In(ctx).NewRaw(`select w.check_id, w.vantage, c.watch::text as watch from health_watches w
		join health_checks c on c.id = w.check_id where w.vantage <> ?`, Panel).Scan(ctx, &rows)
	out := map[string]map[string]string{}
	for _, row := range rows {
		if out[row.Vantage] == nil {
			out[row.Vantage] = map[string]string{}
		}
		out[row.Vantage][row.CheckID] = row.Watch
	}
	return out, database.Fault(err, nil)
}

// keepRuns lets checks keep the number of their last run that somebody asked for.
func (p *Placer) keepRuns(ctx context.Context, checks []Check) error {
	var rows []struct {
		ID  string
		Run int64
	}
	err := p.db.In(ctx).NewRaw(`select id, (watch ->> 'run')::bigint as run from health_checks where watch ->> 'run' is not null`).
		Scan(ctx, &rows)
	runs := map[string]int64{}
	for _, row := range rows {
		runs[row.ID] = row.Run
	}
	for i := range checks {
		checks[i].Watch.Run = runs[checks[i].ID]
	}
	return database.Fault(err, nil)
}

// tell gives agents their watches, those whose watches have changed.
func (p *Placer) tell(ctx context.Context, before map[string]map[string]string, checks []Check, pairs []pair) error {
	byID, now := map[string]*Check{}, map[string][]agentapi.Watch{}
	for i := range checks {
		byID[checks[i].ID] = &checks[i]
	}
	for node := range before {
		now[node] = []agentapi.Watch{}
	}
	for _, one := range pairs {
		if one.vantage != Panel {
			now[one.vantage] = append(now[one.vantage], byID[one.check].Watch)
		}
	}
	var documents []nodesapi.Document
	for _, node := range slices.Sorted(maps.Keys(now)) {
		if !same(before[node], now[node]) {
			documents = append(documents, nodesapi.Document{
				NodeID: node, Name: string(agentapi.DocumentWatches), Content: agentapi.Watches{Watches: now[node]},
			})
		}
	}
	if len(documents) == 0 {
		return nil
	}
	if err := p.documents.Set(ctx, documents...); err != nil {
		return fmt.Errorf("tell agents what to watch: %w", err)
	}
	return nil
}

func same(before map[string]string, now []agentapi.Watch) bool {
	if len(before) != len(now) {
		return false
	}
	for _, w := range now {
		var was agentapi.Watch
		if json.Unmarshal([]byte(before[w.ID]), &was) != nil || was != w {
			return false
		}
	}
	return true
}

// store writes subjects, checks and watches. A watch that stays keeps what it has seen.
func (p *Placer) store(ctx context.Context, subjects []Subject, checks []Check, pairs []pair) error {
	db, now := p.db.In(ctx), p.clock.Now().UTC()
	type row struct {
		ID         string `json:"id"`
		Kind       string `json:"kind"`
		SubjectID  string `json:"subject_id"`
		Type       string `json:"type"`
		Target     string `json:"target"`
		ServerName string `json:"server_name"`
		NodeID     string `json:"node_id"`
		Entry      string `json:"entry"`
		Weak       bool   `json:"weak"`
		Watch      Look   `json:"watch"`
		Failures   int    `json:"failures"`
		Successes  int    `json:"successes"`
	}
	rows := make([]row, len(checks))
	for i, c := range checks {
		rows[i] = row{
			c.ID, c.Kind, c.SubjectID, c.Type, c.Target, c.ServerName, c.NodeID, c.Entry, c.Weak, c.Look,
			c.Policy.FailureThreshold, c.Policy.SuccessThreshold,
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("encode the checks: %w", err)
	}
	if _, err = db.NewRaw(storeChecks, string(text)).Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("store the checks: %w", err), nil)
	}
	ids, vantages := make([]string, len(pairs)), make([]string, len(pairs))
	for i, one := range pairs {
		ids[i], vantages[i] = one.check, one.vantage
	}
	_, err = db.NewRaw(storeWatches, pgdialect.Array(ids), pgdialect.Array(vantages), Panel, now).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store who watches: %w", err), nil)
	}
	return p.storeSubjects(ctx, subjects, now)
}

const storeChecks = `with wanted as (select r.* from jsonb_to_recordset(?::jsonb) r(id uuid, kind text, subject_id uuid,
			type text, target text, server_name text, node_id uuid, entry text, weak boolean, watch jsonb,
			failures integer, successes integer)),
		gone as (delete from health_checks c where not exists (select from wanted w where w.id = c.id))
	insert into health_checks as c (id, kind, subject_id, type, target, server_name, node_id, entry, weak, watch,
		failure_threshold, success_threshold, interval_s)
	select id, kind, subject_id, type, target, server_name, node_id, entry, weak, watch, failures, successes,
		(watch ->> 'interval_s')::integer from wanted order by id
	on conflict (id) do update set watch = excluded.watch,
		failure_threshold = excluded.failure_threshold, success_threshold = excluded.success_threshold,
		interval_s = excluded.interval_s, weak = excluded.weak`

const storeWatches = `with wanted as (
			select w.check_id, w.vantage from unnest(?::uuid[], ?::uuid[]) w(check_id, vantage)),
		gone as (delete from health_watches h where not exists (
			select from wanted w where w.check_id = h.check_id and w.vantage = h.vantage))
	insert into health_watches (check_id, vantage, next_at)
	select w.check_id, w.vantage, case when w.vantage = ?::uuid then ?::timestamptz
		+ (abs(hashtext(w.check_id::text)) % (c.interval_s * 1000)) * interval '1 millisecond' end
	from wanted w join health_checks c on c.id = w.check_id order by w.check_id, w.vantage
	on conflict do nothing`

func (p *Placer) storeSubjects(ctx context.Context, subjects []Subject, now time.Time) error {
	type row struct {
		Kind     string  `json:"kind"`
		ID       string  `json:"id"`
		Name     string  `json:"name"`
		NameKey  string  `json:"name_key"`
		PolicyID string  `json:"policy_id"`
		Layers   *Layers `json:"layers"`
	}
	rows := make([]row, len(subjects))
	for i := range subjects {
		s := &subjects[i]
		rows[i] = row{Kind: s.Kind, ID: s.ID, Name: s.Name, NameKey: names.SearchKey(s.Name), PolicyID: s.Policy.ID}
		if s.Kind == rules.Flow {
			rows[i].Layers = &s.Layers
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("encode who is judged: %w", err)
	}
	_, err = p.db.In(ctx).NewRaw(`with wanted as (select r.* from jsonb_to_recordset(?0::jsonb)
				r(kind text, id uuid, name text, name_key text, policy_id uuid, layers jsonb)),
			gone as (delete from health_states s
				where not exists (select from wanted w where w.kind = s.kind and w.id = s.subject_id))
		insert into health_states as s (kind, subject_id, name, name_key, policy_id, layers, since, due_at)
		select kind, id, name, name_key, policy_id, coalesce(layers, '{}'), ?1, ?1 from wanted order by kind, id
		on conflict (kind, subject_id) do update set name = excluded.name, name_key = excluded.name_key,
			policy_id = excluded.policy_id, due_at = ?1,
			layers = case when s.kind = 'connection_unit' then excluded.layers else s.layers end`,
		string(text), now).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store who is judged: %w", err), nil)
	}
	return nil
}
