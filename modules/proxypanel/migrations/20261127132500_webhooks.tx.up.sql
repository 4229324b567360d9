-- Where a proxy panel sends its webhooks: the random id names the connection, the secret proves the sender.
create table proxypanel_hooks (
    connection_id uuid        primary key references proxypanel_connections (id) on delete cascade,
    hook_id       uuid        not null,
    sealed        text        not null default '',
    last_event_at timestamptz,
    skew_seconds  bigint
);

create unique index proxypanel_hooks_hook on proxypanel_hooks (hook_id);

insert into proxypanel_hooks (connection_id, hook_id) select id, gen_random_uuid() from proxypanel_connections;

-- Sums of bodies that were taken; one that comes again is not taken twice.
create table proxypanel_hook_bodies (
    connection_id uuid        not null references proxypanel_connections (id) on delete cascade,
    sum           bytea       not null,
    taken_at      timestamptz not null,
    primary key (connection_id, sum)
);

create index proxypanel_hook_bodies_taken on proxypanel_hook_bodies (taken_at);

-- What is to be read again because a webhook named it.
create table proxypanel_hints (
    connection_id uuid        not null references proxypanel_connections (id) on delete cascade,
    kind          text        not null, -- user, node
    external_id   text        not null,
    at            timestamptz not null,
    primary key (connection_id, kind, external_id)
);
