-- What the list of nodes is filtered and sorted by, so that a page costs the page at any size of the fleet. The state is the
-- one that followed from the evidence at most a second ago; whoever shows a node derives it again.
alter table nodes add column listed_state text not null default 'pending';
update nodes set listed_state = announced_state;
create index nodes_listed on nodes (listed_state, name_key, id);

-- The newest readings of a node, apart from its wide reports, because an indexed column makes each update cost an index entry.
create table node_readings (
    node_id    uuid             primary key references nodes (id) on delete cascade,
    seen_at    timestamptz      not null default 'epoch',
    cpu_pct    double precision not null default -1,
    net_tx_bps double precision not null default -1
) with (autovacuum_vacuum_scale_factor = 0.5, autovacuum_analyze_scale_factor = 0.5);

create index node_readings_seen on node_readings (seen_at, node_id);
create index node_readings_cpu on node_readings (cpu_pct, node_id);
create index node_readings_tx on node_readings (net_tx_bps, node_id);

-- Every node has its row, also before its agent was heard, so that no list leaves it out.
create function node_readings_begin() returns trigger language plpgsql as $$
begin
    insert into node_readings (node_id) values (new.id);
    return null;
end $$;

create trigger node_readings_begin after insert on nodes for each row execute function node_readings_begin();

insert into node_readings (node_id, seen_at, cpu_pct, net_tx_bps)
    select n.id, coalesce(r.seen_at, 'epoch'), coalesce((r.metrics->>'cpu_pct')::float8, -1), coalesce((r.metrics->>'net_tx_bps')::float8, -1)
    from nodes n left join node_reports r on r.node_id = n.id;
