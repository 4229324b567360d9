create table proxypanel_connections (
    id                     uuid        primary key,
    label                  text        not null,
    base_url               text        not null,
    direct                 boolean     not null,
    sealed                 text        not null,
    has_extra_headers      boolean     not null,
    has_cookie             boolean     not null,
    has_ca                 boolean     not null,
    has_client_certificate boolean     not null,
    token_expires_at       timestamptz,
    state                  text        not null,
    cause                  text        not null,
    detail                 text        not null,
    missing_scopes         jsonb       not null,
    version                text        not null,
    latency_ms             bigint,
    panel                  jsonb,
    checked_at             timestamptz,
    last_ok_at             timestamptz,
    scopes_checked_at      timestamptz,
    failures               bigint      not null default 0,
    told_failure           boolean     not null default false,
    told_expiry            timestamptz,
    created_at             timestamptz not null,
    updated_at             timestamptz not null,
    revision               bigint      not null
);

create unique index proxypanel_connections_label on proxypanel_connections (label);
create unique index proxypanel_connections_base_url on proxypanel_connections (base_url);

-- When each panel may be asked next, for all panels on this database.
create table proxypanel_paces (
    base_url text        primary key,
    next_at  timestamptz not null
);

-- Credentials of an administrator whose making has not come to its end; gone with the answer that shows them.
create table proxypanel_bootstraps (
    base_url   text        primary key,
    sealed     text        not null,
    created_at timestamptz not null
);
