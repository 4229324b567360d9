-- How subjects are watched and judged. The default policy speaks of all that no other speaks of; without content it
-- says what the panel holds right.
create table health_policies (
    id         uuid        primary key,
    name       text        not null,
    name_key   text        not null,
    is_default boolean     not null default false,
    enabled    boolean     not null default true,
    content    jsonb,
    revision   bigint      not null default 1,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create unique index health_policies_name on health_policies (name_key);
create unique index health_policies_default on health_policies (is_default) where is_default;

insert into health_policies (id, name, name_key, is_default)
values ('00000000-0000-7000-8000-000000000001', 'Everything', 'everything', true);

-- What is looked at. The id follows from what it is, so that evidence outlives a new placing. Of a weak check only a
-- failure says something.
create table health_checks (
    id                uuid    primary key,
    kind              text    not null,
    subject_id        uuid    not null,
    type              text    not null,
    target            text    not null,
    server_name       text    not null default '',
    node_id           uuid    not null references nodes (id) on delete cascade,
    entry             text    not null default '',
    weak              boolean not null default false,
    watch             jsonb   not null,
    failure_threshold integer not null,
    success_threshold integer not null,
    interval_s        integer not null
);

create index health_checks_subject on health_checks (kind, subject_id);
create index health_checks_node on health_checks (node_id);

-- Who looks at it, and what was seen last. The panel is the vantage of zeros; of it, next_at is when it looks again.
create table health_watches (
    check_id        uuid             not null references health_checks (id) on delete cascade,
    vantage         uuid             not null,
    next_at         timestamptz,
    state           text             not null default 'unknown',
    ok              boolean,
    reason          text             not null default '',
    error           text             not null default '',
    latency_ms      double precision,
    failures        integer          not null default 0,
    successes       integer          not null default 0,
    at              timestamptz,
    since           timestamptz,
    cert_expires_at timestamptz,
    primary key (check_id, vantage)
) with (fillfactor = 70);

create index health_watches_next on health_watches (next_at) where next_at is not null;
create index health_watches_vantage on health_watches (vantage);

-- Which numbered batch of an agent was stored last; a repeated number is refused by this row.
create table health_streams (
    node_id    uuid        not null references nodes (id) on delete cascade,
    stream_id  text        not null,
    last_seq   bigint      not null,
    dropped    bigint      not null default 0,
    updated_at timestamptz not null default now(),
    primary key (node_id, stream_id)
) with (fillfactor = 50);

-- Results as they came, in partitions of an hour of arrival. Xact is the transaction that stored them: whoever folds
-- them takes each transaction once, when it is certain that no older one is still open.
create table health_results (
    check_id        uuid             not null,
    vantage         uuid             not null,
    at              timestamptz      not null,
    xact            bigint           not null,
    ok              boolean          not null,
    reason          text             not null,
    error           text             not null,
    latency_ms      double precision,
    cert_expires_at timestamptz,
    stored_at       timestamptz      not null default now()
) partition by range (stored_at);

create index health_results_check on health_results (check_id, at);
create index health_results_xact on health_results (xact);

create table health_points_10m (
    kind       text             not null,
    subject_id uuid             not null,
    type       text             not null,
    at         timestamptz      not null,
    results    integer          not null,
    failed     integer          not null,
    latency_ms double precision,
    primary key (kind, subject_id, type, at)
) partition by range (at);

create table health_points_1h (like health_points_10m including all) partition by range (at);

-- How far results are condensed.
create table health_condensed (
    id   boolean primary key default true check (id),
    xact bigint  not null default 0
);

insert into health_condensed default values;

-- How far results are folded, when some panel last did so, and since when it may trust what it sees.
create table health_progress (
    id         boolean     primary key default true check (id),
    folded     bigint      not null default 0,
    alive_at   timestamptz,
    settled_at timestamptz,
    swept_at   timestamptz,
    cut_off    boolean     not null default false
);

insert into health_progress default values;

-- The verdict about each subject.
create table health_states (
    kind        text        not null,
    subject_id  uuid        not null,
    name        text        not null,
    name_key    text        not null,
    state       text        not null default 'unknown',
    rank        integer     not null default 1,
    reason      text        not null default '',
    hint        text        not null default '',
    since       timestamptz not null,
    checked_at  timestamptz,
    maintenance boolean     not null default false,
    flapping    boolean     not null default false,
    policy_id   uuid        not null,
    layers      jsonb       not null default '{}',
    cells       jsonb       not null default '[]',
    due_at      timestamptz,
    primary key (kind, subject_id)
) with (fillfactor = 70);

create index health_states_due on health_states (due_at) where due_at is not null;
create index health_states_name on health_states (kind, name_key, subject_id);

-- Each change of a verdict.
create table health_changes (
    id         bigint      generated always as identity primary key,
    kind       text        not null,
    subject_id uuid        not null,
    at         timestamptz not null,
    was        text        not null,
    state      text        not null,
    reason     text        not null,
    hint       text        not null
);

create index health_changes_subject on health_changes (kind, subject_id, at);
create index health_changes_at on health_changes (at);

-- Makes the partition of one span, aside from the table, and attaches it: readers and writers are not stopped.
create function health_partition(parent text, from_at timestamptz, to_at timestamptz) returns void language plpgsql as $$
declare
    part text := parent || '_' || to_char(from_at at time zone 'UTC', 'YYYYMMDDHH24');
begin
    if to_regclass(part) is null then
        execute format('create table %I (like %I including defaults including indexes)', part, parent);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, from_at, to_at);
    end if;
end $$;

-- Partitions for now and the near future; of condensed results those of the past as well, for results that come late.
create function health_prepare() returns void language plpgsql as $$
declare
    utc timestamp := now() at time zone 'UTC';
    span timestamp;
begin
    perform pg_advisory_xact_lock(7203120615);
    for span in select generate_series(date_trunc('hour', utc), utc + interval '2 hours', interval '1 hour') loop
        perform health_partition('health_results', span at time zone 'UTC', (span + interval '1 hour') at time zone 'UTC');
    end loop;
    for span in select generate_series(date_trunc('week', utc) - interval '7 days', utc + interval '7 days', interval '7 days') loop
        perform health_partition('health_points_10m', span at time zone 'UTC', (span + interval '7 days') at time zone 'UTC');
        perform health_partition('health_points_1h', span at time zone 'UTC', (span + interval '7 days') at time zone 'UTC');
    end loop;
end $$;

-- Drops results after 6 hours, ten minutes after 14 days, hours after 90 days.
create function health_expire() returns void language plpgsql as $$
declare
    utc timestamp := now() at time zone 'UTC';
    part record;
begin
    perform pg_advisory_xact_lock(7203120615);
    for part in
        select c.relname, p.relname as parent, to_timestamp(right(c.relname, 10), 'YYYYMMDDHH24')::timestamp as began
        from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where p.relname in ('health_results', 'health_points_10m', 'health_points_1h') and c.relkind = 'r'
    loop
        if part.parent = 'health_results' and part.began < utc - interval '7 hours'
            or part.parent = 'health_points_10m' and part.began < utc - interval '21 days'
            or part.parent = 'health_points_1h' and part.began < utc - interval '97 days' then
            execute format('drop table %I', part.relname);
        end if;
    end loop;
end $$;

select health_prepare();
