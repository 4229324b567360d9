-- What the panel did by itself about nodes that it saw broken, what it would have done, and what came of it.
create table health_actions (
    id             uuid        primary key,
    act            text        not null,
    node_id        uuid        not null references nodes (id) on delete cascade,
    name           text        not null,
    policy_id      uuid        not null,
    incident_id    uuid,
    state          text        not null,
    reason         text        not null default '',
    evidence       jsonb       not null,
    error          text        not null default '',
    approved_by    text        not null default '',
    dismissed_by   text        not null default '',
    outcome        text        not null default '',
    effects        jsonb       not null default '[]',
    undone_at      timestamptz,
    undone_by      text        not null default '',
    command_id     text        not null default '',
    created_at     timestamptz not null,
    started_at     timestamptz,
    finished_at    timestamptz,
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default ''
);

create index health_actions_node on health_actions (node_id, created_at);
create index health_actions_at on health_actions (created_at, id);
create index health_actions_open on health_actions (lease_until) where state in ('approved', 'running');
create index health_actions_incident on health_actions (incident_id, created_at);
