-- Questions and their answers, the history of each account. beat_at is the sign of life of a model's answer that is
-- being made: one that is silent has died with its panel.
create table assistant_questions (
    id               uuid             primary key,
    account_id       uuid             not null references accounts (id) on delete cascade,
    text             text             not null,
    language         text             not null,
    page             text             not null,
    engine           text             not null,
    state            text             not null,
    asked_at         timestamptz      not null,
    finished_at      timestamptz,
    beat_at          timestamptz      not null,
    cancel_requested boolean          not null default false,
    error_code       text             not null default '',
    tokens           bigint           not null default 0,
    answer           jsonb            not null
);

create index assistant_questions_own on assistant_questions (account_id, asked_at, id);
create index assistant_questions_asked on assistant_questions (asked_at);

-- Changes that were proposed. The request of one is sent by the browser of its caller, never by the panel.
create table assistant_proposals (
    id          uuid        primary key,
    question_id uuid        not null references assistant_questions (id) on delete cascade,
    account_id  uuid        not null references accounts (id) on delete cascade,
    position    integer     not null,
    content     jsonb       not null,
    state       text        not null,
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    settled_at  timestamptz
);

create index assistant_proposals_question on assistant_proposals (question_id, position);
create index assistant_proposals_account on assistant_proposals (account_id);

-- The one helper session of the panel. idle_at is when it ends if its holder does nothing.
create table assistant_helper (
    single       boolean     primary key default true check (single),
    id           uuid        not null,
    account_id   uuid        not null references accounts (id) on delete cascade,
    account_name text        not null,
    language     text        not null,
    step         text        not null,
    since        timestamptz not null,
    idle_at      timestamptz not null
);

-- What the model has cost on each day (UTC), against the caps.
create table assistant_spending (
    day    date             primary key,
    tokens bigint           not null,
    cost   double precision not null
);
