create table certificates (
    id          uuid        primary key,
    names       text[]      not null, -- sorted
    source      text        not null, -- authority, upload
    challenge   text        not null default '',
    chain       text        not null default '', -- PEM, the certificate itself first; empty before the first issue
    key         text        not null default '', -- sealed
    issuer      text        not null default '',
    serial      text        not null default '',
    fingerprint text        not null default '',
    not_before  timestamptz,
    not_after   timestamptz,
    renew_at    timestamptz, -- when a renewal is due; null for what nobody renews
    ask_at      timestamptz, -- when the authority is asked again when to renew
    failures    integer     not null default 0,
    last_error  text        not null default '',
    retry_at    timestamptz, -- no automatic order before it
    hold_until  timestamptz, -- Retry-After of the authority: no order at all before it
    warned_at   timestamptz, -- when people were told that it expires
    created_at  timestamptz not null,
    updated_at  timestamptz not null
);

create unique index certificates_ordered on certificates (names) where source = 'authority';
create index certificates_names on certificates using gin (names);
create index certificates_expiry on certificates (not_after, id);

create table certificate_orders (
    id             uuid        primary key,
    certificate_id uuid        references certificates (id) on delete set null, -- the budget outlives the certificate
    directory      text        not null,
    names          text[]      not null,
    domains        text[]      not null, -- registered domains of the names
    renewal        boolean     not null,
    stage          text        not null,
    key            text        not null default '', -- sealed; empty after the end
    location       text        not null default '', -- of the order at the authority
    records        jsonb       not null default '[]', -- TXT records that are in a zone, or may be
    asked_at       timestamptz, -- when the authority was asked to sign; from then on it counts in the budget
    error          text        not null default '',
    created_at     timestamptz not null,
    finished_at    timestamptz,
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default ''
);

create unique index certificate_orders_active on certificate_orders (certificate_id) where finished_at is null;
create index certificate_orders_open on certificate_orders (lease_until) where finished_at is null;
create index certificate_orders_asked on certificate_orders (asked_at);
create index certificate_orders_finished on certificate_orders (finished_at);
create index certificate_orders_records on certificate_orders (finished_at) where records <> '[]';

create table certificate_accounts (
    id        uuid primary key,
    directory text not null,
    email     text not null,
    key_id    text not null, -- of the external account; empty for none
    location  text not null default '', -- of the account at the authority; empty until it is registered
    key       text not null -- sealed
);

create unique index certificate_accounts_of on certificate_accounts (directory, email, key_id);
