-- Releases of the agent that any panel on this database can hand out; the executables are files of the panel.
create table agent_builds (
    version     text        primary key,
    released_at timestamptz not null,
    manifest    text        not null,
    signature   text        not null,
    files       jsonb       not null,
    stored_at   timestamptz not null default now()
);
