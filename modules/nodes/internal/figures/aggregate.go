package figures

import (
	"fmt"
	"time"
)

const (
	mostIncidents = 50
	mostNames     = 20
	mostTags      = 100
)

// aggregateAt is one pass over the fleet that gives all that a summary needs.
//
// The cause of a failure and since when it lasts follow from the evidence; nodes whose failure for one cause began
// within two heartbeats after that of another belong to one incident.
func (f *Fleet) aggregateAt(at time.Time) string {
	return fmt.Sprintf(aggregateForm, f.stateAt(at), moment(at.Add(-StaleAfter)), moment(at.Add(-2*f.heartbeat)),
		moment(at.Add(-10*f.heartbeat)), (2 * f.heartbeat).Seconds(), mostIncidents, mostNames, mostTags)
}

func moment(at time.Time) string {
	return "timestamptz '" + at.UTC().Format(time.RFC3339Nano) + "'"
}

const aggregateForm = `with f as materialized (
	select n.id, n.name, n.name_key, n.region, n.country_code, n.city, n.tags, n.state_since, n.agent_access, n.desired_at,
		n.desired_core, %[1]s as state, n.desired_revision > 0 and r.config_hash is distinct from n.desired_hash as drift,
		r.seen_at, r.core_state, r.cloned, coalesce(r.report->>'agent_version', '') as version,
		m.observed_at > %[2]s as measured, m.observed_at, m.sessions, m.net_rx_bps, m.net_tx_bps, m.cpu_pct
	from nodes n left join node_reports r on r.node_id = n.id left join node_readings m on m.node_id = n.id
), places as (
	select region, country_code as country, city, state, count(*) as n, count(*) filter (where drift) as drift,
		count(*) filter (where measured) as measured, sum(sessions) filter (where measured) as sessions,
		coalesce(sum(net_rx_bps) filter (where measured), 0) as rx,
		coalesce(sum(net_tx_bps) filter (where measured), 0) as tx,
		coalesce(sum(cpu_pct) filter (where measured), 0) as cpu, min(observed_at) filter (where measured) as oldest
	from f group by 1, 2, 3, 4
), caused as (
	select *, case
		when agent_access = 'revoked' then 'agent_revoked'
		when seen_at <= %[4]s then 'agent_lost'
		when core_state = 'failed' then 'core_failed'
		when cloned then 'cloned'
		when seen_at <= %[3]s then 'agent_stale'
		when desired_core and core_state = 'stopped' then 'core_stopped'
		else 'config_behind' end as cause
	from f where state in ('offline', 'degraded')
), dated as (
	select *, case when cause in ('agent_lost', 'agent_stale') then seen_at
		when cause = 'config_behind' then coalesce(desired_at, state_since) else state_since end as since
	from caused
), stepped as (
	select *, since > lag(since) over (partition by cause order by since, id) + %[5]g * interval '1 second' as apart
	from dated
), numbered as (
	select *, count(*) filter (where apart) over (partition by cause order by since, id) as incident from stepped
), incidents as (
	select cause, min(state) as state, min(since) as since, max(since) as until, count(*) as nodes,
		(array_agg(json_build_object('id', id, 'name', name) order by name_key))[1:%[7]d] as first, array_agg(id) as ids
	from numbered group by cause, incident
	order by max(state) desc, max(since) desc limit %[6]d
)
select
	(select jsonb_agg(p order by region, country, city, state) from places p) as places,
	(select jsonb_agg(v order by nodes desc, version) from (
		select version, count(*) as nodes from f group by 1) v) as agents,
	(select jsonb_agg(t order by nodes desc, tag) from (
		select tag, count(*) as nodes from f, unnest(f.tags) as tag group by 1 order by 2 desc, 1 limit %[8]d) t) as tags,
	(select jsonb_agg(i order by state desc, until desc) from incidents i) as incidents,
	(select count(*) from caused) as attention`
