package flows

import (
	"context"
	"net"
	"net/url"
	"strconv"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/config"
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
		Fleet: f, Configs: c, Commands: o, Domains: d, readings: r, reflector: reflectorOf(cfg), publicURL: publicURL(cfg),
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
		out.Sockets = append(out.Sockets, plan.Socket{L4: s.L4, IP: s.IP, Port: s.Port, Process: s.Process, Core: s.Own})
	}
	return out
}
