package flows

import (
	"context"
	"net"
	"net/url"
	"slices"
	"strconv"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/config"
	"panel/platform/database"
)

// nodes is what flows ask of the fleet.
type nodes struct {
	nodesapi.Fleet
	nodesapi.Configs
	nodesapi.Commands
	domainsapi.Domains
	readings  nodesapi.Readings
	reflector plan.Endpoint
	publicURL string
}

func newNodes(
	f nodesapi.Fleet,
	c nodesapi.Configs,
	o nodesapi.Commands,
	d domainsapi.Domains,
	r nodesapi.Readings,
	cfg *config.Config,
) *nodes {
	return &nodes{
		Fleet: f, Configs: c, Commands: o, Domains: d, readings: r, reflector: reflectorOf(cfg),
		publicURL: publicURL(cfg),
	}
}

func publicURL(cfg *config.Config) string {
	if given := cfg.String(config.PublicURL); given != "" {
		return given
	}
	return "http://" + net.JoinHostPort(cfg.String(config.Bind), cfg.String(config.Port))
}

// reflectorOf is where agents reach the panel; a panel that listens everywhere without a public address has no
// address to give, and flows are then installed without the last probe.
func reflectorOf(cfg *config.Config) plan.Endpoint {
	u, err := url.Parse(publicURL(cfg))
	if err != nil {
		return plan.Endpoint{}
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsUnspecified() {
		return plan.Endpoint{}
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	}
	return plan.Endpoint{Host: u.Hostname(), Port: port}
}

// byID gives the named nodes; unknown ones are absent.
func (s *nodes) byID(ctx context.Context, ids []string) (map[string]nodesapi.Node, error) {
	out := make(map[string]nodesapi.Node, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	list, err := s.Nodes(ctx, ids...)
	for _, n := range list {
		out[n.ID] = n
	}
	return out, err
}

// compilable is a node as the compiler sees it.
func compilable(n nodesapi.Node) plan.Node {
	out := plan.Node{
		ID:      n.ID,
		Name:    n.Name,
		Address: n.Address,
		Own:     n.Addresses,
		Core:    n.CoreVersion,
		Can:     n.Capabilities,
	}
	for _, s := range n.Sockets {
		out.Sockets = append(out.Sockets, plan.Socket{
			L4: s.L4, IP: s.IP, Port: s.Port, Process: s.Process,
			Core: s.Own,
		})
	}
	return out
}

// installing gives the flows of which something is being installed that needs the node.
func (s *store) installing(ctx context.Context, nodeID string) ([]string, error) {
	flows := []string{}
	err := s.db.In(ctx).NewRaw(`select distinct a.flow_id from flow_applies a join flow_apply_steps s on s.apply_id = a.id
		where a.finished_at is null and s.node_id = ? order by 1`, nodeID).Scan(ctx, &flows)
	return flows, database.Fault(err, nil)
}

// related gives the flows that are installed on the nodes of each group, with names for those who may see flows.
func (s *store) related(ctx context.Context, groups [][]string, names int) ([]nodesapi.Related, error) {
	nodeIDs, of := []string{}, []int{}
	for at, group := range groups {
		nodeIDs = append(nodeIDs, group...)
		of = append(of, slices.Repeat([]int{at}, len(group))...)
	}
	if !access.From(ctx).Permissions.Has(View) {
		names = 0
	}
	var rows []struct {
		At, Count int
		First     []nodesapi.Named `bun:",type:jsonb"`
	}
	err := s.db.In(ctx).NewRaw(`select at, count(*) as count,
			to_jsonb((array_agg(jsonb_build_object('id', id, 'name', name) order by name, id))[1:?]) as first
		from (select distinct u.at, f.id, f.name from unnest(?::text[], ?::int[]) u(node_id, at)
			join flow_fragments g on g.node_id = u.node_id join flows f on f.id = g.flow_id where f.enabled and not f.deleting) f
		group by at`, names, pgdialect.Array(nodeIDs), pgdialect.Array(of)).Scan(ctx, &rows)
	out := make([]nodesapi.Related, len(groups))
	for _, row := range rows {
		out[row.At] = nodesapi.Related{Count: row.Count, First: row.First}
	}
	return out, database.Fault(err, nil)
}
