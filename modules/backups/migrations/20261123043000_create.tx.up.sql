create table backup_profiles (
    id              uuid        primary key,
    name            text        not null,
    label           text        not null, -- part of the names of its artefacts; it never changes
    enabled         boolean     not null,
    cron            text        not null default '',
    zone            text        not null default '',
    secret_store    boolean     not null,
    config          boolean     not null,
    telemetry       text        not null,
    encryption      text        not null,
    recipient       text        not null default '',
    passphrase      text        not null default '', -- sealed
    keep_last       integer     not null,
    keep_days       integer     not null,
    max_bytes       bigint      not null,
    verify_cron     text        not null default '',
    deadman_hours   integer     not null,
    next_run_at     timestamptz,
    next_verify_at  timestamptz,
    last_success_at timestamptz,
    last_good_run   uuid,
    overdue_at      timestamptz, -- when people were told that it is overdue; null while it is not
    created_at      timestamptz not null,
    updated_at      timestamptz not null,
    revision        bigint      not null
);

create unique index backup_profiles_name on backup_profiles (name);
create index backup_profiles_next on backup_profiles (next_run_at) where enabled;

create table backup_destinations (
    id             uuid    primary key,
    profile_id     uuid    not null references backup_profiles (id) on delete cascade,
    place          integer not null,
    kind           text    not null,
    config         jsonb   not null,
    max_part_bytes bigint  not null,
    secret         text    not null default '' -- sealed
);

create index backup_destinations_profile on backup_destinations (profile_id, place);

create table backup_runs (
    id             uuid        primary key,
    profile_id     uuid        not null references backup_profiles (id) on delete cascade,
    profile_name   text        not null,
    state          text        not null,
    trigger        text        not null,
    step           text        not null default '',
    bytes          bigint      not null default 0,
    error          text        not null default '',
    artefact       jsonb,
    destinations   jsonb       not null default '[]',
    log_tail       text        not null default '',
    cancel_asked   boolean     not null default false,
    operation_id   uuid,
    started_by     text        not null default '',
    account_id     text        not null default '',
    created_at     timestamptz not null,
    started_at     timestamptz,
    finished_at    timestamptz,
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default ''
);

create unique index backup_runs_active on backup_runs (profile_id) where finished_at is null;
create index backup_runs_open on backup_runs (lease_until) where finished_at is null;
create index backup_runs_created on backup_runs (created_at, id);
create index backup_runs_profile on backup_runs (profile_id, created_at);
create index backup_runs_finished on backup_runs (finished_at);

create table backup_restores (
    id             uuid        primary key,
    run_id         uuid        not null references backup_runs (id) on delete cascade,
    mode           text        not null,
    state          text        not null,
    trigger        text        not null,
    step           text        not null default '',
    keys           text        not null default '', -- sealed; empty when none were given, and after the end
    verdict        text        not null default '',
    error          text        not null default '',
    report         jsonb,
    operation_id   uuid,
    started_by     text        not null default '',
    account_id     text        not null default '',
    created_at     timestamptz not null,
    started_at     timestamptz,
    finished_at    timestamptz,
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default ''
);

create unique index backup_restores_active on backup_restores ((true)) where finished_at is null;
create index backup_restores_open on backup_restores (lease_until) where finished_at is null;
create index backup_restores_created on backup_restores (created_at, id);
create index backup_restores_run on backup_restores (run_id);
create index backup_restores_finished on backup_restores (finished_at);
