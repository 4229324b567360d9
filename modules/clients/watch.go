package clients

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"net/url"

	"panel/modules/clients/clientsapi"
	"panel/platform/agentapi"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// metrics are the clients of all panels on this database.
func (c *clients) metrics() []metrics.Collector {
	return []metrics.Collector{
		metrics.Asked("panel_clients", "Clients by state.", "state", c.byState),
		metrics.AskedOne("panel_client_lists_behind",
			"Flows with an entry whose agent does not hold the newest list of its clients.", c.behind),
	}
}

func (c *clients) behind(ctx context.Context) (lists float64, err error) {
	err = c.store.db.NewRaw("select count(*)::float8 from client_lists where open and nodes > 0").Scan(ctx, &lists)
	return lists, database.Fault(err, nil)
}

func (c *clients) byState(ctx context.Context) (map[string]float64, error) {
	all, err := c.summary(ctx)
	return map[string]float64{
		clientsapi.Active: float64(all.Active), clientsapi.Disabled: float64(all.Disabled),
		clientsapi.Expired: float64(all.Expired), clientsapi.Spent: float64(all.Spent),
		clientsapi.Revoked: float64(all.Revoked),
	}, err
}

func doctorChecks() []doctor.Check {
	return []doctor.Check{
		{ID: "components.clients", Group: "components", Title: "secrets of clients", Run: unsettled},
		{ID: "components.client_lists", Group: "components", Title: "lists of clients", Run: listsInOrder},
		{ID: "components.subscriptions", Group: "components", Title: "subscription URLs", Run: subscriptions},
	}
}

// unsettled finds secrets that every start since the update has found not to open.
func unsettled(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var all, left int
	err := db.NewRaw("select count(*), count(*) filter (where moved) from client_flows where revoked_at is null").
		Scan(ctx, &all, &left)
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped,
			Found:  doctor.Say("the schema of the panel is not in this database"),
		}
	case left > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d of %d secrets of clients do not open", left, all),
			Do: doctor.Say("start the panel with the master key that they were sealed with, " +
				"or revoke these clients and add them anew"),
			Data: map[string]any{"secrets": all, "unreadable": left},
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Found: doctor.Say("%d secrets of clients are in order", all),
		Data: map[string]any{"secrets": all},
	}
}

const (
	nearFull    = 80  // percent of a document that the clients of a node may take before Doctor speaks of it
	bytesOfEach = 157 // client in a document
)

// listsInOrder finds lists of clients that do not come to their agents, and nodes whose clients will soon be too many
// for one document: an agent that cannot ask for what has changed gets them all in one. A doctor.Check.
func listsInOrder(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var all, longest, stuck, full int
	var why string
	err := db.NewRaw(`select (select count(*) from client_lists where nodes > 0),
			(select coalesce(max(c.n), 0) from (select count(*) as n from client_listed where not gone group by flow_id) c),
			(select count(*) from client_lists where open and nodes > 0 and lease_failures > 3),
			(select coalesce(max(lease_error), '') from client_lists where open and nodes > 0 and lease_failures > 3),
			(select count(*) from (select n.node_id from client_list_nodes n
				join (select flow_id, count(*) as clients from client_listed where not gone group by 1) l on l.flow_id = n.flow_id
				where not n.by_changes and not n.leaves group by 1 having sum(l.clients) * ?0 > ?1) f)`, bytesOfEach,
		agentapi.MaxDocument/100*nearFull).Scan(ctx, &all, &longest, &stuck, &why, &full)
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	data := map[string]any{"lists": all, "longest": longest, "stuck": stuck, "nearly_full": full}
	switch {
	case stuck > 0:
		return doctor.Finding{
			Status: doctor.Failed, Data: data,
			Found: doctor.Say("%d lists of clients do not come to their agents: %s", stuck, why),
			Do: doctor.Say("update the agents of their nodes: newer ones are told what has changed, " +
				"however long a list is"),
		}
	case full > 0:
		return doctor.Finding{
			Status: doctor.Warning, Data: data,
			Found: doctor.Say("the clients of %d nodes take more than %d %% of what their agents can be given at once",
				full, nearFull),
			Do: doctor.Say("update the agents of their nodes: newer ones are told what has changed, " +
				"however long a list is"),
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Data: data,
		Found: doctor.Say("%d lists of clients are with their agents or on their way; the longest has %d clients",
			all, longest),
	}
}

// subscriptions finds subscription URLs that lead nowhere: the panel names itself in them as nobody outside
// reaches it, or nothing would be told at them. A doctor.Check.
func subscriptions(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var all, idle int
	err := db.NewRaw(`select count(*), count(*) filter (where not exists (
			select from client_flows a where a.client_id = c.id and a.revoked_at is null))
		from client_profiles c where c.public_hash is not null and c.revoked_at is null`).Scan(ctx, &all, &idle)
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	data := map[string]any{"subscriptions": all, "without_flow": idle}
	place := cmp.Or(env.File, "/etc/panel/panel.env")
	address := env.Getenv(config.PublicURL.Name)
	switch {
	case all == 0:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("no client has a subscription"), Data: data}
	case address == "" || here(address):
		return doctor.Finding{
			Status: doctor.Failed, Data: data,
			Found: doctor.Say("subscription URLs lead to this server alone: %d clients hold one", all),
			Do:    doctor.Say("set PANEL_PUBLIC_URL in %s, then systemctl restart panel", place),
		}
	case !encrypted(address):
		return doctor.Finding{
			Status: doctor.Warning, Data: data,
			Found: doctor.Say("subscription URLs begin with http: whoever listens on the way reads the links in them"),
			Do:    doctor.Say("put the panel behind HTTPS and set PANEL_PUBLIC_URL in %s to that address", place),
		}
	case idle > 0:
		return doctor.Finding{
			Status: doctor.Warning, Data: data,
			Found: doctor.Say("%d of %d subscriptions tell nothing: their clients have no flow", idle, all),
			Do:    doctor.Say("give these clients a flow, or take their addresses away: Web: Clients"),
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%d subscriptions are in order", all), Data: data}
}

// here says that an address reaches nobody but this machine.
func here(address string) bool {
	at, err := url.Parse(address)
	if err != nil {
		return false
	}
	if at.Hostname() == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(at.Hostname())
	return err == nil && (addr.IsLoopback() || addr.IsUnspecified())
}

// encrypted says that an address is asked over TLS, or by a tunnel within a private network.
func encrypted(address string) bool {
	at, err := url.Parse(address)
	if err != nil || at.Scheme == "https" {
		return true
	}
	ip := net.ParseIP(at.Hostname())
	return ip != nil && ip.IsPrivate()
}
