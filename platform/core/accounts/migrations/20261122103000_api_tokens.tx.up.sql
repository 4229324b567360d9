-- Tokens that scripts act with for an account: a part of its permissions, until a day, without a second factor.
create table api_tokens (
    id           uuid        primary key,
    account_id   uuid        not null references accounts (id) on delete cascade,
    name         text        not null,
    token_hash   bytea       not null,
    permissions  text[]      not null,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    last_used_at timestamptz
);

create unique index api_tokens_hash on api_tokens (token_hash);
create unique index api_tokens_name on api_tokens (account_id, name);
create index api_tokens_expiry on api_tokens (expires_at);
