create table accounts (
    id                   uuid        primary key,
    username             text        not null,
    password_hash        text        not null,
    permissions          text[]      not null,
    state                text        not null default 'active' check (state in ('active', 'disabled')),
    must_change_password boolean     not null default false,
    last_login_at        timestamptz,
    last_login_ip        text        not null default '',
    created_at           timestamptz not null,
    updated_at           timestamptz not null,
    revision             bigint      not null default 1
);

create unique index accounts_username on accounts (lower(username));

create table sessions (
    id           uuid        primary key,
    account_id   uuid        not null references accounts (id) on delete cascade,
    token_hash   bytea       not null,
    created_at   timestamptz not null,
    last_seen_at timestamptz not null,
    expires_at   timestamptz not null,
    ip           text        not null default '',
    user_agent   text        not null default ''
);

create unique index sessions_token_hash on sessions (token_hash);
create index sessions_account on sessions (account_id);
create index sessions_expiry on sessions (expires_at);
