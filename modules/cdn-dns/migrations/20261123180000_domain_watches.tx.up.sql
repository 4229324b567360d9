-- What is known of the host name of a binding. The row outlives its binding until the records that were made for it are
-- gone, so it names the binding and does not refer to it.
create table domain_watches (
    domain_id      uuid        primary key,
    node_id        uuid        not null, -- at the last look
    hostname       text        not null,
    integration_id uuid,                 -- that holds the zone; null where none does
    state          text        not null default 'pending',
    since          timestamptz not null, -- of the state
    wanted         jsonb       not null default '[]',
    conflicts      jsonb       not null default '[]', -- records of somebody else that stand in the way
    seen           jsonb       not null default '[]', -- what each name server answered
    resolved       text[]      not null default '{}',
    error          text        not null default '',
    told           text        not null default '', -- the last event about it: ok, mismatch
    bad            integer     not null default 0,  -- looks in a row that were not ok
    looks          bigint      not null default 0,
    checked_at     timestamptz,
    next_at        timestamptz not null,
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default ''
);

create index domain_watches_next on domain_watches (next_at);
create index domain_watches_node on domain_watches (node_id);
create index domain_watches_state on domain_watches (state);

-- Records that were written for a binding, or found to stand already.
create table domain_records (
    id             uuid        primary key,
    domain_id      uuid        not null references domain_watches (domain_id) on delete cascade,
    integration_id uuid        not null,
    zone_id        text        not null, -- as the provider calls it
    zone           text        not null,
    hostname       text        not null,
    type           text        not null,
    value          text        not null,
    ttl            integer     not null,
    provider_id    text        not null default '',
    phase          text        not null, -- intent, written, found
    written_at     timestamptz not null
);

create unique index domain_records_value on domain_records (domain_id, hostname, type, value);
