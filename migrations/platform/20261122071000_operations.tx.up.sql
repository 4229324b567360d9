-- What somebody started and can follow.
create table operations (
    id          uuid        primary key,
    kind        text        not null,
    object_type text        not null default '',
    object_id   text        not null default '',
    object_name text        not null default '',
    state       text        not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    progress    smallint    not null default 0 check (progress between 0 and 100),
    error       text        not null default '',
    account_id  text        not null default '',
    started_by  text        not null,
    job_id      bigint,
    created_at  timestamptz not null default now(),
    finished_at timestamptz,
    constraint finished_or_not check ((finished_at is null) = (state in ('queued', 'running')))
);

create index operations_recent on operations (created_at desc, id desc);
create index operations_of_account on operations (account_id, created_at desc, id desc);
create index operations_of_job on operations (job_id);
create index operations_finished on operations (finished_at);
