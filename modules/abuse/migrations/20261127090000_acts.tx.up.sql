-- What was done about users. Each act ends by itself, is undone by a person, or is over when nodes have answered.
create table abuse_actions (
    id         uuid        primary key,
    case_id    uuid        references abuse_cases (id) on delete set null,
    user_ref   text        not null,
    label      text        not null,
    kind       text        not null,
    state      text        not null,
    by_name    text        not null,
    automatic  boolean     not null,
    reason     text        not null,
    effects    jsonb       not null,
    result     jsonb       not null,
    started_at timestamptz not null,
    until      timestamptz,
    ended_at   timestamptz,
    ended_by   text        not null default ''
);

-- The same is done about a user once at a time, and by itself once for a case.
create unique index abuse_actions_once on abuse_actions (user_ref, kind)
    where state in ('pending', 'active') and kind <> 'block_ips';
create unique index abuse_actions_automatic on abuse_actions (case_id, kind) where automatic;
create index abuse_actions_case on abuse_actions (case_id, started_at);
create index abuse_actions_due on abuse_actions (until) where state in ('pending', 'active');
create index abuse_actions_started on abuse_actions (started_at, id);
create index abuse_actions_ended on abuse_actions (ended_at) where ended_at is not null;
