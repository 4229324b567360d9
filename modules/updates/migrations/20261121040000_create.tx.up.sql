create table agent_rings (
    id            boolean     primary key default true check (id),
    sizes         integer[]   not null,
    first_nodes   uuid[]      not null default '{}',
    pause_seconds integer     not null,
    parallel      integer     not null,
    revision      bigint      not null,
    updated_at    timestamptz not null
);

create table agent_rollouts (
    id            uuid        primary key,
    kind          text        not null,
    version       text        not null,
    through       integer     not null,
    ring          integer     not null,
    state         text        not null,
    detail        text        not null default '',
    pause_seconds integer     not null,
    parallel      integer     not null,
    started_by    text        not null,
    account_id    text        not null default '',
    started_at    timestamptz not null,
    rested_at     timestamptz,
    stopped_by    text        not null default '',
    finished_at   timestamptz,
    runner        text        not null default '',
    lease_until   timestamptz not null
);

create unique index agent_rollouts_active on agent_rollouts (kind) where finished_at is null and kind = 'rings';
create index agent_rollouts_open on agent_rollouts (lease_until) where finished_at is null;
create index agent_rollouts_started on agent_rollouts (started_at, id);

create table agent_rollout_nodes (
    rollout_id   uuid        not null references agent_rollouts (id) on delete cascade,
    node_id      uuid        not null references nodes (id) on delete cascade,
    name         text        not null,
    ring         integer     not null,
    place        integer     not null,
    state        text        not null,
    active       boolean     not null default true,
    command_id   uuid,
    from_version text        not null default '',
    stage        text        not null default '',
    error        text        not null default '',
    tail         text        not null default '',
    ordered_at   timestamptz,
    ended_at     timestamptz,
    primary key (rollout_id, node_id)
);

create unique index agent_rollout_nodes_active on agent_rollout_nodes (node_id) where active;
