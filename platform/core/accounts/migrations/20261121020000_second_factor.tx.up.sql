create table totp_factors (
    account_id    uuid        primary key references accounts (id) on delete cascade,
    sealed_secret text        not null,
    confirmed_at  timestamptz,
    last_step     bigint      not null default 0,
    created_at    timestamptz not null
);

create table recovery_codes (
    account_id uuid        not null references accounts (id) on delete cascade,
    code_hash  bytea       not null,
    used_at    timestamptz,
    primary key (account_id, code_hash)
);

create table passkeys (
    id            uuid        primary key,
    account_id    uuid        not null references accounts (id) on delete cascade,
    credential_id bytea       not null,
    name          text        not null,
    credential    jsonb       not null,
    created_at    timestamptz not null,
    last_used_at  timestamptz
);

create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_account on passkeys (account_id);

create table challenges (
    token_hash bytea       primary key,
    account_id uuid        not null references accounts (id) on delete cascade,
    purpose    text        not null check (purpose in ('sign_in', 'register')),
    ceremony   jsonb,
    attempts   int         not null default 0,
    created_at timestamptz not null,
    expires_at timestamptz not null
);

create index challenges_expiry on challenges (expires_at);
