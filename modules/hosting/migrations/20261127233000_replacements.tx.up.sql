-- A machine that takes the place of another: made, given the flows of the other's node, which is drained and kept or
-- deleted then.
create table hosting_replacements (
    id             uuid        primary key,
    account_id     uuid        not null references hosting_accounts (id) on delete cascade, -- of the machine replaced
    server_id      uuid        references hosting_servers (id) on delete set null,
    name           text        not null, -- of the machine replaced
    node_id        uuid        references nodes (id) on delete set null,
    by_account_id  uuid        not null references hosting_accounts (id) on delete cascade,
    by_name        text        not null,
    by_node_id     uuid        references nodes (id) on delete set null,
    order_id       uuid        references hosting_orders (id) on delete set null, -- that makes the new machine
    removal_id     uuid        references hosting_orders (id) on delete set null, -- that deletes one of the two
    old            text        not null, -- keep, delete
    force_apply    boolean     not null,
    state          text        not null, -- making, moving, draining, removing, undoing, done, failed, cancelled
    failed_in      text        not null default '', -- the state in which it failed
    flows          jsonb       not null default '[]',
    error          text        not null default '',
    operation_id   uuid        not null,
    state_at       timestamptz not null,
    cancelled_at   timestamptz, -- somebody wants it undone
    started_by     text        not null,
    started_id     text        not null,
    created_at     timestamptz not null,
    finished_at    timestamptz,
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default ''
);

create index hosting_replacements_account on hosting_replacements (account_id, created_at, id);
create index hosting_replacements_by_account on hosting_replacements (by_account_id);
create index hosting_replacements_node on hosting_replacements (node_id);
create index hosting_replacements_by_node on hosting_replacements (by_node_id);
create index hosting_replacements_order on hosting_replacements (order_id);
create index hosting_replacements_removal on hosting_replacements (removal_id);
create index hosting_replacements_created on hosting_replacements (created_at);
create index hosting_replacements_open on hosting_replacements (lease_until) where finished_at is null;
-- Of two people who replace one machine at once, one is refused.
create unique index hosting_replacements_server on hosting_replacements (server_id) where finished_at is null;

-- A machine that nobody wants any more: its agent is not waited for.
alter table hosting_orders add column cancelled_at timestamptz;
