-- Which numbered batch of an agent was stored last; a repeated number is refused by this row.
create table telemetry_streams (
    node_id    uuid        not null references nodes (id) on delete cascade,
    stream_id  text        not null,
    last_seq   bigint      not null,
    dropped    bigint      not null default 0,
    updated_at timestamptz not null default now(),
    primary key (node_id, stream_id)
) with (fillfactor = 50);

-- Samples as they came, in partitions of an hour of arrival. Xact is the transaction that stored them: the roll-up
-- takes each transaction exactly once, when it is certain that no older one is still open.
create table node_samples (
    node_id         uuid             not null,
    observed_at     timestamptz      not null,
    xact            bigint           not null,
    cpu_pct         double precision not null,
    load1           double precision not null,
    mem_used        bigint           not null,
    mem_total       bigint           not null,
    disk_used       bigint           not null,
    disk_total      bigint           not null,
    net_rx_bps      double precision not null,
    net_tx_bps      double precision not null,
    rx_pps          double precision not null,
    tcp_established bigint           not null,
    conntrack_count bigint           not null,
    conntrack_max   bigint           not null,
    syncookies_ps   double precision not null,
    listen_drops_ps double precision not null,
    uptime_s        bigint           not null,
    traffic         jsonb,
    stored_at       timestamptz      not null default now()
) partition by range (stored_at);

create index node_samples_node on node_samples (node_id, observed_at);
create index node_samples_xact on node_samples using brin (xact) with (pages_per_range = 16);

create table node_metrics_1m (
    node_id         uuid             not null,
    at              timestamptz      not null,
    n               integer          not null,
    cpu_pct         double precision not null,
    load1           double precision not null,
    mem_used        double precision not null,
    disk_used       double precision not null,
    net_rx_bps      double precision not null,
    net_tx_bps      double precision not null,
    rx_pps          double precision not null,
    tcp_established double precision not null,
    conntrack_count double precision not null,
    syncookies_ps   double precision not null,
    listen_drops_ps double precision not null,
    primary key (node_id, at)
) partition by range (at);

create table node_metrics_10m (like node_metrics_1m including all) partition by range (at);

-- The roll-up has taken every transaction below this one.
create table telemetry_progress (
    id   boolean primary key default true check (id),
    xact bigint  not null
);

insert into telemetry_progress (xact) values (0);

-- Makes the partition of one span, aside from the table, and attaches it: readers and writers are not stopped.
create function telemetry_partition(parent text, from_at timestamptz, to_at timestamptz) returns void language plpgsql as $$
declare
    part text := parent || '_' || to_char(from_at at time zone 'UTC', 'YYYYMMDDHH24');
begin
    if to_regclass(part) is null then
        execute format('create table %I (like %I including defaults including indexes)', part, parent);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, from_at, to_at);
    end if;
end $$;

-- Partitions of samples, minutes and ten minutes for now and the near future; late samples need some of the past.
create function telemetry_prepare() returns void language plpgsql as $$
declare
    utc timestamp := now() at time zone 'UTC';
    span timestamp;
begin
    perform pg_advisory_xact_lock(7203120411);
    for span in select generate_series(date_trunc('hour', utc), utc + interval '2 hours', interval '1 hour') loop
        perform telemetry_partition('node_samples', span at time zone 'UTC', (span + interval '1 hour') at time zone 'UTC');
    end loop;
    for span in select generate_series(date_trunc('day', utc) - interval '2 days', utc + interval '1 day', interval '1 day') loop
        perform telemetry_partition('node_metrics_1m', span at time zone 'UTC', (span + interval '1 day') at time zone 'UTC');
    end loop;
    for span in select generate_series(date_trunc('week', utc - interval '30 days'), utc + interval '7 days', interval '7 days') loop
        perform telemetry_partition('node_metrics_10m', span at time zone 'UTC', (span + interval '7 days') at time zone 'UTC');
    end loop;
end $$;

-- Drops what the ladder no longer keeps: samples after 6 hours, minutes after 48 hours, ten minutes after 30 days.
create function telemetry_expire() returns void language plpgsql as $$
declare
    utc timestamp := now() at time zone 'UTC';
    part record;
begin
    perform pg_advisory_xact_lock(7203120411);
    for part in
        select c.relname, p.relname as parent, to_timestamp(right(c.relname, 10), 'YYYYMMDDHH24')::timestamp as began
        from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where p.relname in ('node_samples', 'node_metrics_1m', 'node_metrics_10m') and c.relkind = 'r'
    loop
        if part.parent = 'node_samples' and part.began < utc - interval '7 hours'
            or part.parent = 'node_metrics_1m' and part.began < utc - interval '3 days'
            or part.parent = 'node_metrics_10m' and part.began < utc - interval '37 days' then
            execute format('drop table %I', part.relname);
        end if;
    end loop;
end $$;

select telemetry_prepare();
