-- Files of names and networks that nodes route by, and databases of places. The rows of versions are never changed.
create table geo_assets (
    id             uuid        primary key,
    name           text        not null constraint geo_assets_name unique,
    file           text        not null,
    preset         text        not null,
    source_url     text        not null,
    checksum_url   text        not null default '',
    scheduled      boolean     not null,
    cron           text        not null,
    pinned         boolean     not null default false,
    on_nodes       boolean     not null,
    state          text        not null,
    reject_reason  text        not null default '',
    reject_detail  text        not null default '',
    missing        jsonb       not null default '[]',
    version        text,
    previous       text,
    candidate      text,
    withdrawn      text        not null default '', -- what a rollback took away; the schedule does not bring it again
    fetched_at     timestamptz,
    next_update_at timestamptz,
    revision       bigint      not null default 1,
    created_at     timestamptz not null,
    updated_at     timestamptz not null
);

create index geo_assets_due on geo_assets (next_update_at) where scheduled and not pinned;

create table geo_versions (
    asset_id   uuid        not null references geo_assets (id) on delete cascade,
    sha256     text        not null,
    size       bigint      not null,
    kind       text        not null, -- site, net, or the type of a database of places
    categories jsonb       not null,
    entries    bigint      not null,
    source_url text        not null,
    fetched_at timestamptz not null,
    primary key (asset_id, sha256)
);

-- What each node shall hold and what it was last known to hold; empty is nothing.
create table geo_nodes (
    asset_id uuid        not null references geo_assets (id) on delete cascade,
    node_id  uuid        not null references nodes (id) on delete cascade,
    ring     integer     not null,
    wanted   text        not null default '',
    held     text        not null default '',
    told_at  timestamptz,
    primary key (asset_id, node_id)
);

create index geo_nodes_node on geo_nodes (node_id);

create table geo_rollouts (
    id             uuid        primary key,
    asset_id       uuid        not null references geo_assets (id) on delete cascade,
    sha256         text        not null,
    ring           integer     not null,
    last_ring      integer     not null,
    ring_at        timestamptz not null,
    well_at        timestamptz,
    ill_at         timestamptz,
    state          text        not null,
    detail         text        not null default '',
    started_by     text        not null default '',
    account_id     text        not null default '',
    started_at     timestamptz not null,
    finished_at    timestamptz,
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default ''
);

create unique index geo_rollouts_active on geo_rollouts (asset_id) where finished_at is null;
create index geo_rollouts_open on geo_rollouts (lease_until) where finished_at is null;
create index geo_rollouts_started on geo_rollouts (started_at);
