-- Runs that read a proxy panel. Of one connection at most one runs, over all panels on this database.
create table proxypanel_syncs (
    id            uuid        primary key,
    connection_id uuid        not null references proxypanel_connections (id) on delete cascade,
    job_id        bigint      not null,
    scope         text        not null, -- objects, full
    source        text        not null, -- schedule, person
    state         text        not null, -- running, succeeded, failed
    cause         text        not null default '',
    detail        text        not null default '',
    by_name       text        not null,
    operation_id  uuid,
    objects       bigint      not null default 0,
    users         bigint      not null default 0,
    added         bigint      not null default 0,
    changed       bigint      not null default 0,
    gone          bigint      not null default 0,
    started_at    timestamptz not null,
    beat_at       timestamptz not null,
    finished_at   timestamptz
);

create unique index proxypanel_syncs_one on proxypanel_syncs (connection_id) where state = 'running';
create index proxypanel_syncs_list on proxypanel_syncs (connection_id, started_at desc, id desc);
create index proxypanel_syncs_finished on proxypanel_syncs (finished_at);

-- When the objects and the users of a connection were last read whole, and when its users were last begun with.
create table proxypanel_sync_states (
    connection_id uuid        primary key references proxypanel_connections (id) on delete cascade,
    objects_at    timestamptz,
    users_at      timestamptz,
    users_begun   timestamptz
);
