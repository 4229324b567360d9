-- What was read of another program's configuration, until somebody takes it or its time is over.
create table flow_imports (
    id         uuid        primary key,
    account_id text        not null,
    format     text        not null,
    content    text        not null,
    flows      jsonb       not null default '[]',
    clients    integer     not null default 0,
    created_at timestamptz not null,
    taken_at   timestamptz
);

create index flow_imports_created on flow_imports (created_at);
