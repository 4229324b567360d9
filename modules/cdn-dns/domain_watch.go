package cdndns

import (
	"context"
	"strings"

	"panel/modules/cdn-dns/internal/cdn"
	"panel/modules/cdn-dns/internal/records"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// metrics are those of all panels on this database.
func (w *watcher) metrics() []metrics.Collector {
	return []metrics.Collector{
		metrics.Asked("panel_domains", "Host names of nodes, by what name servers answer.", "state",
			func(ctx context.Context) (map[string]float64, error) {
				var rows []struct {
					State string
					Names float64
				}
				err := w.DB.NewRaw("select state, count(*)::float8 as names from domain_watches group by state").Scan(ctx, &rows)
				found := map[string]float64{
					records.Pending: 0, records.Propagating: 0, records.OK: 0, records.Mismatch: 0, records.Failed: 0,
				}
				for _, row := range rows {
					found[row.State] = row.Names
				}
				return found, database.Fault(err, nil)
			}),
		metrics.AskedOne("panel_domains_unwritten", "Host names whose records could not be written at the last look.",
			func(ctx context.Context) (value float64, err error) {
				err = w.DB.NewRaw("select count(*)::float8 from domain_watches where error <> ''").Scan(ctx, &value)
				return value, database.Fault(err, nil)
			}),
	}
}

// recordsCheck is what Doctor asks about the records of bindings, also while the panel is down.
func recordsCheck() doctor.Check {
	return doctor.Check{ID: "dns.records", Group: "dns", Title: "DNS records of node domains", Run: astray}
}

// astray finds host names that do not lead to their nodes. It asks no name server by itself.
func astray(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var found []struct{ Hostname, State, Error string }
	var total int
	err := db.NewRaw(`select hostname, state, error from domain_watches
		where state in ('mismatch', 'error') or error <> '' order by hostname`).Scan(ctx, &found)
	if err == nil {
		err = db.NewRaw("select count(*) from domain_watches").Scan(ctx, &total)
	}
	wrong := 0
	for _, one := range found {
		if one.State == records.Mismatch || one.State == records.Failed {
			wrong++
		}
	}
	data := map[string]any{"domains": total, "wrong": wrong, "unwritten": len(found) - wrong}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	case total == 0:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("no node has a domain")}
	case len(found) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: found[0].Hostname, Data: data,
			Found: doctor.Say("%d of %d host names do not lead to their nodes, or their records could not be written",
				len(found), total),
			Do: doctor.Say("look at the domain's records: what is wanted, what servers answer, what stands in the way"),
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Found: doctor.Say("%d host names lead to their nodes", total), Data: data,
	}
}

// stageRecords is the part that host names have in plans.
const stageRecords = "cdndns.records"

// stage says in the plan whether the host names of entries lead to their nodes. A record of somebody else that stands
// in the way is an obstacle that nothing forces.
func (w *watcher) stage() flowsapi.Stage {
	return flowsapi.Stage{
		Name: stageRecords, At: flowsapi.BeforePrepare, Preview: w.preview,
		Do: func(context.Context, flowsapi.Apply) (flowsapi.Outcome, error) {
			return flowsapi.Outcome{Result: flowsapi.Nothing}, nil
		},
	}
}

func (w *watcher) preview(ctx context.Context, c flowsapi.Change) ([]flowsapi.Diff, []flowsapi.Check, error) {
	var checks []flowsapi.Check
	for _, e := range c.After {
		if e.DomainID == "" {
			continue
		}
		found, err := w.domains.ByIDs(ctx, e.DomainID)
		if err != nil {
			return nil, nil, err
		}
		if found[e.DomainID].Mode == cdn.Mode {
			continue // its records are made by the apply
		}
		detail, err := w.Show(ctx, found[e.DomainID])
		if err != nil {
			return nil, nil, err
		}
		check, known := judgeRecords(e.Host, detail)
		if binding := found[e.DomainID]; moves(binding, e) && !check.Blocks {
			if check, known, err = w.judgeMove(ctx, e, binding, detail); err != nil {
				return nil, nil, err
			}
		}
		if known {
			check.Key, check.NodeID = e.NodeID+":"+e.Block, e.NodeID
			check.Summary = e.Host + " leads to its node"
			checks = append(checks, check)
		}
	}
	return nil, checks, nil
}

// moves tells whether a binding goes to the node of an entry with this apply. Until that is decided its record leads to
// the old node.
func moves(binding domainsapi.Domain, e flowsapi.Entry) bool {
	return binding.MovingTo == e.NodeID && binding.NodeID != e.NodeID
}

// judgeMove says who leads a host name to the node that it moves to. Of names whose records are a stranger's it says
// nothing.
func (w *watcher) judgeMove(
	ctx context.Context, e flowsapi.Entry, binding domainsapi.Domain, d records.Detail,
) (check flowsapi.Check, known bool, err error) {
	binding.NodeID = e.NodeID
	values, err := w.Values(ctx, binding)
	if err != nil || len(values) == 0 {
		return check, false, err
	}
	to := strings.Join(values, ", ")
	if d.Managed {
		check.Status = flowsapi.Confirmed
		check.Finding = flowsapi.Say("record_moves", "when the apply is decided the panel leads "+e.Host+" to "+to,
			"host", e.Host, "to", to)
		return check, true, nil
	}
	check.Status = flowsapi.Unconfirmed
	check.Finding = flowsapi.Say("record_moves_by_hand", "no integration holds the zone of "+e.Host+
		": lead it to "+to+" yourself when the apply is done", "host", e.Host, "to", to)
	return check, true, nil
}

// judgeRecords says nothing of a name that nobody could look at: that the panel sees no name server does not mean that
// clients see none.
func judgeRecords(host string, d records.Detail) (check flowsapi.Check, known bool) {
	switch {
	case len(d.Conflicts) > 0:
		at := d.Conflicts[0]
		check.Status, check.Blocks = flowsapi.Failed, true
		check.Finding = flowsapi.Say("record_conflict", "another record stands at "+host+": "+at.Type+" "+at.Value+
			"; remove it at the DNS service, or bind another name", "host", host, "type", at.Type, "value", at.Value)
	case d.State == records.OK:
		check.Status = flowsapi.Confirmed
		check.Finding = flowsapi.Say("record_ok", host+" leads to "+strings.Join(d.ResolvedIPs, ", "),
			"host", host, "seen", strings.Join(d.ResolvedIPs, ", "))
	case d.State == records.Mismatch:
		seen := strings.Join(d.ResolvedIPs, ", ")
		if seen == "" {
			seen = "—"
		}
		check.Status = flowsapi.Unconfirmed
		check.Finding = flowsapi.Say("record_mismatch", "name servers answer something else for "+host+": "+seen,
			"host", host, "seen", seen)
	default:
		return check, false
	}
	return check, true
}
