create table notifications_channels (
    id         uuid        primary key,
    kind       text        not null check (kind in ('webhook', 'email')),
    name       text        not null,
    enabled    boolean     not null,
    target     jsonb       not null,
    sealed     text        not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    revision   bigint      not null
);

create unique index notifications_channels_name on notifications_channels (name);

create table notifications_rules (
    id           uuid        primary key,
    name         text        not null,
    event        text        not null,
    channels     text[]      not null,
    min_severity text        not null check (min_severity in ('info', 'warning', 'critical')),
    cooldown_s   integer     not null,
    group_by     text        not null check (group_by in ('subject', 'kind')),
    enabled      boolean     not null,
    created_at   timestamptz not null,
    updated_at   timestamptz not null,
    revision     bigint      not null
);

create unique index notifications_rules_name on notifications_rules (name);

-- Whoever sets up the messenger hears of everything that is not mere information.
insert into notifications_rules values ('0199a0de-0000-7000-8000-00000000e001', 'Everything important', '*',
    '{messenger}', 'warning', 300, 'subject', true, now(), now(), 1);

-- A lane orders the deliveries of one channel: whoever changes its queue locks its row.
create table notifications_lanes (
    channel       text        primary key,
    blocked_until timestamptz,
    failures      integer     not null default 0
);

insert into notifications_lanes (channel) values ('messenger');

-- The moment of the next message, for all channels and panels.
create table notifications_pace (
    only_one boolean     primary key default true check (only_one),
    next_at  timestamptz not null
);

insert into notifications_pace (next_at) values (now());

create table notifications_deliveries (
    id            uuid        primary key,
    channel       text        not null,
    channel_name  text        not null,
    kind          text        not null,
    severity      text        not null,
    subject_type  text        not null,
    subject_id    text        not null,
    subject_name  text        not null,
    event_id      text        not null,
    event         jsonb       not null,
    -- Events that came later join a delivery with the same key that still waits; null: nothing joins.
    fold_key      text,
    count         integer     not null,
    state         text        not null check (state in ('queued', 'sending', 'sent', 'failed', 'folded', 'superseded', 'cancelled')),
    reason        text        not null,
    attempts      integer     not null,
    answers       uuid,
    resolved      boolean     not null,
    external_id   text        not null,
    claim         text        not null,
    not_before    timestamptz not null,
    claimed_until timestamptz,
    created_at    timestamptz not null,
    last_event_at timestamptz not null,
    finished_at   timestamptz
);

create index notifications_deliveries_waiting on notifications_deliveries (channel, not_before, id)
    where state in ('queued', 'sending');
create index notifications_deliveries_recent on notifications_deliveries (channel, kind, created_at);
create index notifications_deliveries_newest on notifications_deliveries (created_at, id);
create index notifications_deliveries_finished on notifications_deliveries (finished_at);

-- A listener may get an event twice; it is taken once.
create table notifications_seen (
    event_id text        primary key,
    at       timestamptz not null
);

create index notifications_seen_at on notifications_seen (at);
