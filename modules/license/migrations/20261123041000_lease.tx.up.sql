-- The question to the license server is driven by a lease. One row needs no index.
alter table licenses
    add column lease_token    text        not null default '',
    add column lease_until    timestamptz not null default now(),
    add column lease_failures integer     not null default 0,
    add column lease_error    text        not null default '';
