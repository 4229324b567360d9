-- What is to be done, or was done, with a machine at its provider.
create table hosting_orders (
    id             uuid        primary key, -- of its operation too, and part of the mark on the machine
    account_id     uuid        not null references hosting_accounts (id) on delete cascade,
    act            text        not null, -- create, on, off, reboot, delete
    state          text        not null, -- queued, provider, agent, done, failed
    name           text        not null, -- of the machine
    region         text        not null default '',
    plan           text        not null default '',
    image          text        not null default '',
    price_amount   bigint,
    price_currency text        not null default '',
    price_period   text        not null default '',
    server_id      uuid        references hosting_servers (id) on delete set null,
    external_id    text        not null default '',
    node_id        uuid        references nodes (id) on delete set null,
    token_id       text        not null default '',
    action         text        not null default '', -- at the provider
    sent_at        timestamptz, -- when the provider was asked last, or was about to be
    state_at       timestamptz not null,
    error          text        not null default '',
    started_by     text        not null default '',
    started_id     text        not null default '', -- account of whoever started it
    created_at     timestamptz not null,
    finished_at    timestamptz,
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default ''
);

create index hosting_orders_account on hosting_orders (account_id, created_at, id);
create index hosting_orders_node on hosting_orders (node_id);
create index hosting_orders_created on hosting_orders (created_at);
create index hosting_orders_open on hosting_orders (lease_until) where finished_at is null;
-- Of two people who want something of one machine at once, one is refused.
create unique index hosting_orders_server on hosting_orders (server_id) where finished_at is null;
create unique index hosting_orders_name on hosting_orders (account_id, name)
    where act = 'create' and finished_at is null;

-- The node that a machine was made for, which is its node also before anybody knows its addresses.
alter table hosting_servers add column made_for uuid references nodes (id) on delete set null;
create index hosting_servers_made_for on hosting_servers (made_for);
