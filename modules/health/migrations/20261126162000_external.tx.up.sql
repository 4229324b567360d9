-- What is known of each service for external checks, and when the next call to it may be made: panels take turns.
create table health_checkers (
    name            text        primary key,
    next_call_at    timestamptz not null default now(),
    account         bytea,
    balance         bigint,
    tier            text        not null default '',
    tier_expires_at timestamptz,
    account_at      timestamptz,
    operators       jsonb       not null default '[]',
    operators_at    timestamptz,
    trouble         text        not null default '',
    trouble_at      timestamptz,
    configured      boolean     not null default false,
    daily_cap       bigint,
    monthly_cap     bigint,
    low_balance     bigint,
    told_day        date,
    told_month      date
);

-- External checks and what they have found. A row is written, and its price reserved, before the service is called;
-- the key goes with every attempt, so that the service makes and charges one check. A row whose cost is not known yet
-- counts with its price. There is no reference to the flow: what was spent stays when the flow goes.
create table health_reports (
    id              uuid        primary key,
    provider        text        not null,
    flow_id         uuid        not null,
    flow_name       text        not null,
    node_id         uuid        not null,
    node_name       text        not null,
    kind            text        not null,
    target          text        not null,
    content         jsonb       not null,
    sealed          text        not null default '',
    call_key        uuid        not null,
    account         bytea,
    state           text        not null default 'queued',
    source          text        not null,
    requested_by    text        not null,
    schedule_id     uuid,
    asked_at        timestamptz not null,
    sent_at         timestamptz,
    checked_at      timestamptz,
    cancel_asked_at timestamptz,
    touched_at      timestamptz not null,
    ref             text        not null default '',
    price           bigint      not null,
    cost            bigint,
    passed          integer     not null default 0,
    total           integer     not null default 0,
    legs            jsonb       not null default '[]',
    skipped         jsonb       not null default '[]',
    error_code      text        not null default '',
    error           text        not null default ''
);

create index health_reports_flow on health_reports (flow_id, asked_at desc, id desc);
create index health_reports_spent on health_reports (provider, asked_at);
create index health_reports_open on health_reports (touched_at) where state in ('queued', 'running');
create unique index health_reports_active on health_reports (provider, flow_id, target)
    where state in ('queued', 'running');

-- What is checked by the clock. It goes with its flow by hand: a schedule of a flow that is gone says so.
create table health_check_schedules (
    id         uuid        primary key,
    flow_id    uuid        not null,
    flow_name  text        not null,
    content    jsonb       not null,
    enabled    boolean     not null,
    revision   bigint      not null,
    next_at    timestamptz not null,
    last_at    timestamptz,
    last_error text        not null default ''
);

create index health_check_schedules_due on health_check_schedules (next_at) where enabled;
