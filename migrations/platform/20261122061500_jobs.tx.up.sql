-- The tables of the job queue, in the form of River 0.41 (Mozilla Public License 2.0, github.com/riverqueue/river), without
-- its indexes on kind, args and metadata: nothing here searches by them, and every insertion would pay for them.
create schema jobs;

create type jobs.river_job_state as enum (
    'available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'running', 'scheduled'
);

create table jobs.river_job (
    id            bigserial            primary key,
    state         jobs.river_job_state not null default 'available',
    attempt       smallint             not null default 0,
    max_attempts  smallint             not null default 25,
    attempted_at  timestamptz,
    created_at    timestamptz          not null default now(),
    finalized_at  timestamptz,
    scheduled_at  timestamptz          not null default now(),
    priority      smallint             not null default 1,
    args          jsonb                not null,
    attempted_by  text[],
    errors        jsonb[],
    kind          text                 not null,
    metadata      jsonb                not null default '{}',
    queue         text                 not null default 'default',
    tags          varchar(255)[]       not null default '{}',
    unique_key    bytea,
    unique_states bit(8),
    constraint finalized_or_finalized_at_null check (
        (finalized_at is null and state not in ('cancelled', 'completed', 'discarded')) or
        (finalized_at is not null and state in ('cancelled', 'completed', 'discarded'))
    ),
    constraint max_attempts_is_positive check (max_attempts > 0),
    constraint priority_in_range check (priority >= 1 and priority <= 4),
    constraint queue_length check (char_length(queue) > 0 and char_length(queue) < 128),
    constraint kind_length check (char_length(kind) > 0 and char_length(kind) < 128)
);

create function jobs.river_job_state_in_bitmask(bitmask bit(8), state jobs.river_job_state) returns boolean
language sql immutable as $$
    select case state
        when 'available' then get_bit(bitmask, 7)
        when 'cancelled' then get_bit(bitmask, 6)
        when 'completed' then get_bit(bitmask, 5)
        when 'discarded' then get_bit(bitmask, 4)
        when 'pending'   then get_bit(bitmask, 3)
        when 'retryable' then get_bit(bitmask, 2)
        when 'running'   then get_bit(bitmask, 1)
        when 'scheduled' then get_bit(bitmask, 0)
        else 0
    end = 1;
$$;

create index river_job_state_and_finalized_at_index on jobs.river_job (state, finalized_at) where finalized_at is not null;
create index river_job_prioritized_fetching_index on jobs.river_job (state, queue, priority, scheduled_at, id);
create unique index river_job_unique_idx on jobs.river_job (unique_key)
    where unique_key is not null and unique_states is not null and jobs.river_job_state_in_bitmask(unique_states, state);

create unlogged table jobs.river_leader (
    elected_at timestamptz not null,
    expires_at timestamptz not null,
    leader_id  text        not null,
    name       text        primary key default 'default',
    constraint name_length check (name = 'default'),
    constraint leader_id_length check (char_length(leader_id) > 0 and char_length(leader_id) < 128)
);

create table jobs.river_queue (
    name       text        primary key,
    created_at timestamptz not null default now(),
    metadata   jsonb       not null default '{}',
    paused_at  timestamptz,
    updated_at timestamptz not null default current_timestamp
);

create table jobs.river_notification (
    id         bigserial   primary key,
    created_at timestamptz not null default now(),
    payload    text        not null,
    topic      text        not null,
    constraint topic_length check (length(topic) > 0 and length(topic) < 128)
);

create index river_notification_created_at_idx on jobs.river_notification (created_at);
create index river_notification_topic_id_idx on jobs.river_notification (topic, id);

-- From here on the panel's own. Each kind has a backlog of its own order, so that no kind waits behind another.
create index job_backlog on jobs.river_job (queue, kind, priority, scheduled_at, id) where state = 'available';
create index job_running on jobs.river_job (id) where state = 'running';

-- The sign of life of each running job client; whose row is gone may finish nothing any more.
create table jobs.clients (
    id      text        primary key,
    seen_at timestamptz not null default now()
);

-- The next run of each schedule, so that all panels together run it once.
create table jobs.schedules (
    name     text        primary key,
    rule     text        not null,
    next_at  timestamptz not null,
    last_at  timestamptz
);
