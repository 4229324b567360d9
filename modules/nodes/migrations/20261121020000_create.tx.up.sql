create table nodes (
    id                   uuid        primary key,
    name                 text        not null,
    address              text        not null default '',
    ips                  jsonb       not null default '[]',
    country_code         text        not null default 'XX',
    region               text        not null default '',
    city                 text        not null default '',
    provider_id          uuid,
    provider_server_ref  text        not null default '',
    roles                text[]      not null default '{}',
    tags                 text[]      not null default '{}',
    note                 text        not null default '',
    disabled             boolean     not null default false,
    maintenance          boolean     not null default false,
    maintenance_until    timestamptz,
    maintenance_reason   text        not null default '',
    enrolled_at          timestamptz,
    agent_access         text        not null default 'none' check (agent_access in ('none', 'granted', 'revoked')),
    token_id             uuid,
    previous_valid_until timestamptz,
    desired_revision     bigint      not null default 0,
    desired_hash         text        not null default '',
    desired_core         boolean     not null default false,
    desired_at           timestamptz,
    announced_state      text        not null default 'pending',
    created_at           timestamptz not null,
    updated_at           timestamptz not null,
    revision             bigint      not null default 1
);

create unique index nodes_name on nodes (lower(name));
create index nodes_created on nodes (created_at, id);
create index nodes_tags on nodes using gin (tags);

-- What the agent last said. Written in batches of many nodes; no index but the key, so that updates stay cheap.
create table node_reports (
    node_id         uuid        primary key references nodes (id) on delete cascade,
    seen_at         timestamptz not null,
    core_state      text        not null default 'unknown',
    config_revision bigint      not null default 0,
    config_hash     text        not null default '',
    cloned          boolean     not null default false,
    report          jsonb       not null default '{}',
    surroundings    jsonb       not null default '{}',
    metrics         jsonb,
    config_result   jsonb
) with (fillfactor = 50);

-- The state of a node from its evidence. Two missed heartbeats make an agent stale, ten make it lost.
create function node_state(n nodes, r node_reports, at timestamptz, heartbeat interval) returns text language sql stable as $$
    select case
        when n.disabled then 'disabled'
        when n.maintenance and (n.maintenance_until is null or n.maintenance_until > at) then 'maintenance'
        when n.agent_access = 'none' or r.seen_at is null then 'pending'
        when n.agent_access = 'revoked' or r.seen_at <= at - 10 * heartbeat then 'offline'
        when r.seen_at <= at - 2 * heartbeat or r.core_state = 'failed' or r.cloned
            or n.desired_at <= at - interval '60 seconds'
                and (r.config_hash <> n.desired_hash or n.desired_core and r.core_state = 'stopped') then 'degraded'
        else 'online'
    end
$$;

create table agent_tokens (
    id          uuid        primary key,
    node_id     uuid        not null references nodes (id) on delete cascade,
    token_hash  bytea       not null,
    created_at  timestamptz not null,
    valid_until timestamptz
);

create unique index agent_tokens_hash on agent_tokens (token_hash);
create index agent_tokens_node on agent_tokens (node_id);

create table enrollment_tokens (
    id           uuid        primary key,
    token_hash   bytea       not null,
    kind         text        not null check (kind in ('one_off', 'reusable')),
    label        text        not null default '',
    expires_at   timestamptz not null,
    usage_limit  integer,
    used_count   integer     not null default 0,
    auto_tags    text[]      not null default '{}',
    bind_node_id uuid        references nodes (id) on delete cascade,
    revoked_at   timestamptz,
    last_used_at timestamptz,
    created_by   text        not null,
    created_at   timestamptz not null
);

create unique index enrollment_tokens_hash on enrollment_tokens (token_hash);

-- Configurations hold clients' secrets, so their body is sealed.
create table node_configs (
    node_id    uuid        not null references nodes (id) on delete cascade,
    revision   bigint      not null,
    hash       text        not null,
    sealed     text        not null,
    has_core   boolean     not null,
    listeners  jsonb       not null,
    created_at timestamptz not null,
    primary key (node_id, revision)
);

create table node_commands (
    id          uuid        primary key,
    node_id     uuid        not null references nodes (id) on delete cascade,
    kind        text        not null,
    sealed      text        not null default '',
    deadline    timestamptz not null,
    created_at  timestamptz not null,
    started_by  text        not null default '',
    acked_at    timestamptz,
    ended_at    timestamptz,
    ok          boolean     not null default false,
    code        text        not null default '',
    error       text        not null default '',
    stage       text        not null default '',
    stderr_tail text        not null default '',
    data        jsonb
);

create index node_commands_waiting on node_commands (node_id, created_at) where ended_at is null;
create index node_commands_ended on node_commands (ended_at) where ended_at is not null;
