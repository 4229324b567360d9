-- What the hoster of a node allows it to carry in a month, which begins on the reset day, or on the last day of a month
-- that is shorter; and from which part of that on people are told.
alter table nodes
    add column traffic_limit      bigint   check (traffic_limit > 0),
    add column traffic_reset_day  smallint not null default 1  check (traffic_reset_day between 1 and 31),
    add column traffic_notify_pct smallint not null default 80 check (traffic_notify_pct between 1 and 100);

-- What each node has carried in the month that began at since. It is counted from the samples of nodes: mark says which
-- of them are in.
create table node_traffic (
    node_id uuid        primary key references nodes (id) on delete cascade,
    up      bigint      not null default 0,
    down    bigint      not null default 0,
    since   timestamptz not null,
    told_at timestamptz -- when people were told
);

create table node_traffic_progress (
    id   boolean     primary key default true check (id),
    mark bigint      not null,
    at   timestamptz not null default now()
);
insert into node_traffic_progress (mark) values (0);
