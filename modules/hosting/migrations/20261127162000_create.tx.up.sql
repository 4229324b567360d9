create table hosting_accounts (
    id               uuid        primary key,
    kind             text        not null,
    label            text        not null,
    base_url         text        not null, -- empty: the usual one of the kind
    sealed           text        not null,
    has_credentials  boolean     not null,
    state            text        not null, -- unchecked, ok, auth_failed, limited, unreachable
    cause            text        not null default '',
    detail           text        not null default '',
    missing_rights   jsonb       not null default '[]',
    balance_amount   bigint,
    balance_currency text        not null default '',
    servers_max      bigint      not null default 0,
    checked_at       timestamptz,
    last_sync_at     timestamptz,
    failures         bigint      not null default 0,
    told_failure     boolean     not null default false,
    created_at       timestamptz not null,
    updated_at       timestamptz not null,
    revision         bigint      not null
);

create unique index hosting_accounts_label on hosting_accounts (label);

-- When each account may be asked with next, for all panels on this database.
create table hosting_paces (
    account_id uuid        primary key references hosting_accounts (id) on delete cascade,
    next_at    timestamptz not null
);

create table hosting_servers (
    id             uuid        primary key,
    account_id     uuid        not null references hosting_accounts (id) on delete cascade,
    external_id    text        not null, -- of an entry by hand its own id
    name           text        not null,
    status         text        not null,
    region         text        not null,
    plan           text        not null,
    vcpu           bigint      not null,
    mem            bigint      not null,
    disk           bigint      not null,
    ipv4           jsonb       not null,
    ipv6           jsonb       not null,
    tags           jsonb       not null,
    price_amount   bigint,
    price_currency text        not null,
    price_period   text        not null,
    next_due_at    timestamptz,
    node_id        uuid        references nodes (id) on delete set null,
    created_at     timestamptz not null,
    updated_at     timestamptz not null,
    gone_at        timestamptz, -- not at the provider any more
    revision       bigint      not null
);

create unique index hosting_servers_external on hosting_servers (account_id, external_id);
create index hosting_servers_name on hosting_servers (account_id, name, id) where gone_at is null;
create index hosting_servers_node on hosting_servers (node_id);
create index hosting_servers_due on hosting_servers (next_due_at) where gone_at is null;
create index hosting_servers_gone on hosting_servers (gone_at);
