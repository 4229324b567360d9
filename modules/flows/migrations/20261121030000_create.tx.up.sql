create table flows (
    id                   uuid        primary key,
    name                 text        not null,
    description          text        not null default '',
    tags                 text[]      not null default '{}',
    owner_id             text        not null,
    enabled              boolean     not null default true,
    root                 text        not null,
    graph                jsonb       not null,
    draft_revision       integer     not null default 1,
    draft_updated_at     timestamptz not null,
    draft_updated_by     text        not null default '',
    compiled_revision    integer,
    installed_version_id uuid,
    installed_revision   integer,
    installed_at         timestamptz,
    last_apply_id        uuid,
    deleting             boolean     not null default false,
    revision             integer     not null default 1,
    created_at           timestamptz not null,
    updated_at           timestamptz not null
);

create unique index flows_name on flows (lower(name)) where not deleting;
create index flows_created on flows (created_at, id);

create table flow_clients (
    id               uuid        primary key,
    flow_id          uuid        not null references flows (id) on delete cascade,
    label            text        not null,
    secret           text        not null,
    public_hash      bytea,
    public_issued_at timestamptz,
    created_at       timestamptz not null,
    revoked_at       timestamptz
);

create index flow_clients_flow on flow_clients (flow_id, created_at);
create unique index flow_clients_public on flow_clients (public_hash);

create table flow_plans (
    id         uuid        primary key,
    flow_id    uuid        not null references flows (id) on delete cascade,
    revision   integer     not null,
    hash       text        not null,
    plan       jsonb       not null,
    graph      jsonb       not null,
    created_at timestamptz not null,
    created_by text        not null,
    expires_at timestamptz not null,
    applied_at timestamptz,
    ask_until  timestamptz,
    asker      text        not null default ''
);

create index flow_plans_flow on flow_plans (flow_id, created_at);
create index flow_plans_asking on flow_plans (ask_until) where ask_until is not null;

create table flow_checks (
    plan_id     uuid        not null references flow_plans (id) on delete cascade,
    key         text        not null,
    node_id     text        not null,
    ask         jsonb       not null,
    status      text        not null check (status in ('confirmed', 'unconfirmed', 'failed')),
    evidence    text        not null,
    observed_at timestamptz,
    primary key (plan_id, key)
);

create table flow_versions (
    id         uuid        primary key,
    flow_id    uuid        not null references flows (id) on delete cascade,
    number     integer     not null,
    revision   integer     not null,
    reason     text        not null check (reason in ('apply', 'manual', 'import')),
    note       text        not null default '',
    plan_hash  text        not null default '',
    graph      jsonb       not null,
    applied    boolean     not null default false,
    bypassed   jsonb       not null default '[]',
    apply_id   uuid,
    created_at timestamptz not null,
    created_by text        not null
);

create unique index flow_versions_number on flow_versions (flow_id, number);

create table flow_fragments (
    flow_id    uuid        not null references flows (id),
    node_id    text        not null,
    content    text        not null,
    hash       text        not null,
    client_ids text[]      not null default '{}',
    listens    jsonb       not null default '[]',
    primary key (flow_id, node_id)
);

create index flow_fragments_node on flow_fragments (node_id);

create table flow_applies (
    id          uuid        primary key,
    flow_id     uuid        not null references flows (id) on delete cascade,
    kind        text        not null check (kind in ('apply', 'enable', 'disable', 'delete')),
    stage       text        not null,
    plan_id     uuid,
    plan_hash   text        not null default '',
    revision    integer     not null,
    graph       jsonb,
    version_id  uuid,
    forced      boolean     not null default false,
    bypassed    jsonb       not null default '[]',
    steps       jsonb       not null default '[]',
    content     text        not null default '',
    listens     jsonb       not null default '{}',
    error       jsonb,
    detail      text        not null default '',
    started_by  text        not null,
    account_id  text        not null default '',
    started_at  timestamptz not null,
    staged_at   timestamptz not null,
    finished_at timestamptz,
    runner      text        not null default '',
    lease_until timestamptz not null
);

create unique index flow_applies_active on flow_applies (flow_id) where finished_at is null;
create index flow_applies_flow on flow_applies (flow_id, started_at);
create index flow_applies_due on flow_applies (lease_until) where finished_at is null;

create table flow_node_locks (
    node_id  text        primary key,
    apply_id uuid        not null references flow_applies (id) on delete cascade,
    taken_at timestamptz not null
);

create index flow_node_locks_apply on flow_node_locks (apply_id);
