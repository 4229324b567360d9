create table transit_pools (
    id                 uuid        primary key,
    name               text        not null,
    name_key           text        not null,
    strategy           text        not null,
    stickiness         text        not null,
    health             jsonb       not null,
    fallback_kind      text        not null,
    fallback_member_id uuid,
    fallback_pool_id   uuid        references transit_pools (id),
    min_healthy        integer     not null,
    override_member_id uuid,
    override_until     timestamptz,
    override_by        text        not null default '',
    below              boolean     not null default false,
    created_at         timestamptz not null,
    updated_at         timestamptz not null,
    revision           bigint      not null
);

create unique index transit_pools_name on transit_pools (name_key collate "C");

create index transit_pools_fallback on transit_pools (fallback_pool_id) where fallback_pool_id is not null;

create table transit_pool_members (
    id       uuid    primary key,
    pool_id  uuid    not null references transit_pools (id) on delete cascade,
    node_id  uuid    not null references nodes (id),
    position integer not null,
    weight   integer not null,
    priority integer not null,
    enabled  boolean not null,
    drain    boolean not null,
    told_at  timestamptz,
    unique (pool_id, node_id)
);

create index transit_pool_members_node on transit_pool_members (node_id);

-- Where the document of agents speaks of a pool: the nodes that forward to it.
create table transit_pool_places (
    pool_id uuid not null references transit_pools (id) on delete cascade,
    node_id uuid not null references nodes (id) on delete cascade,
    primary key (pool_id, node_id)
);

create index transit_pool_places_node on transit_pool_places (node_id);

-- What the nodes that forward to a pool say of its members, and of the choice among them. A group is one edge.
create table transit_pool_states (
    node_id    uuid        not null references nodes (id) on delete cascade,
    group_name text        not null,
    member_id  uuid        not null references transit_pool_members (id) on delete cascade,
    state      text        not null,
    rtt_ms     bigint      not null,
    reason     text        not null,
    error      text        not null,
    held       boolean     not null,
    since      timestamptz not null,
    at         timestamptz not null,
    primary key (member_id, node_id, group_name)
);

create index transit_pool_states_node on transit_pool_states (node_id);

create table transit_pool_choices (
    node_id          uuid        not null references nodes (id) on delete cascade,
    group_name       text        not null,
    pool_id          uuid        not null references transit_pools (id) on delete cascade,
    serves           text        not null,
    active_member_id uuid,
    usable           integer     not null,
    reason           text        not null,
    at               timestamptz not null,
    primary key (pool_id, node_id, group_name)
);

create index transit_pool_choices_node on transit_pool_choices (node_id);

create table transit_pool_switches (
    id               bigint      generated always as identity primary key,
    pool_id          uuid        not null references transit_pools (id) on delete cascade,
    node_id          uuid        not null references nodes (id) on delete cascade,
    group_name       text        not null,
    serves           text        not null,
    active_member_id uuid,
    usable           integer     not null,
    reason           text        not null,
    at               timestamptz not null
);

create index transit_pool_switches_pool on transit_pool_switches (pool_id, at desc, id desc);

create index transit_pool_switches_node on transit_pool_switches (node_id);

create index transit_pool_switches_at on transit_pool_switches (at);

create table transit_pool_streams (
    node_id    uuid        not null references nodes (id) on delete cascade,
    stream_id  text        not null,
    last_seq   bigint      not null,
    updated_at timestamptz not null,
    primary key (node_id, stream_id)
);
