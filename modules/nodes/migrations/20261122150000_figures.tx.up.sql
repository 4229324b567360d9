-- When the state under which a node is listed began: what happened at the same time is shown as one incident.
alter table nodes add column state_since timestamptz not null default now();

-- The newest readings that screens show live, so that totals and frames read narrow rows and no JSON.
-- Sessions is null where the agent does not count them.
alter table node_readings
    add column observed_at timestamptz      not null default 'epoch',
    add column sessions    bigint,
    add column net_rx_bps  double precision not null default 0,
    add column mem_pct     double precision not null default 0;

-- The whole fleet as it was at each minute.
create table fleet_minutes (
    at         timestamptz      primary key,
    states     jsonb            not null,
    measured   integer          not null,
    sessions   bigint,
    net_rx_bps double precision not null,
    net_tx_bps double precision not null,
    cpu_pct    double precision
);

-- Open sessions of each node, in all and by listener; null where the agent does not count them.
alter table node_samples add column sessions bigint, add column listeners jsonb;
alter table node_metrics_1m add column sessions double precision;
alter table node_metrics_10m add column sessions double precision;
