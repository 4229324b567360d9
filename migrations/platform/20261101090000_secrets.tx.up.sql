create table vault_canaries (
    key_id     text        primary key,
    sealed     text        not null,
    created_at timestamptz not null default now()
);
