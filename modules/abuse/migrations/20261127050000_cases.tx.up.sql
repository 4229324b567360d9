-- What came is folded in the sequence of the transactions that stored it, user by user.
drop index abuse_diversity_xact;
create index abuse_diversity_xact on abuse_diversity (xact, user_ref);
create index abuse_signals_xact on abuse_signals (xact, user_ref);

-- How far the scoring is; the one row is locked by the panel that scores.
create table abuse_progress (
    diversity_xact bigint      not null default 0,
    diversity_ref  text        not null default '',
    signals_xact   bigint      not null default 0,
    signals_ref    text        not null default '',
    alive_at       timestamptz
);
insert into abuse_progress default values;

-- What is remembered of each user, so that scoring reads only what is new.
create table abuse_subjects (
    user_ref   text        primary key,
    state      jsonb       not null,
    score      integer     not null,
    updated_at timestamptz not null
) with (fillfactor = 80);

create index abuse_subjects_updated on abuse_subjects (updated_at);

create table abuse_cases (
    id              uuid             primary key,
    number          bigint           not null generated always as identity,
    user_ref        text             not null,
    label           text             not null default '',
    label_key       text             not null default '',
    state           text             not null,
    score           integer          not null,
    most            integer          not null,
    confidence      double precision not null,
    recommended     text             not null,
    breakdown       jsonb            not null,
    findings        jsonb            not null,
    signals         jsonb            not null,
    node_ids        uuid[]           not null,
    flow_ids        uuid[]           not null,
    evidence_at     timestamptz      not null,
    opened_at       timestamptz      not null,
    updated_at      timestamptz      not null,
    scored_at       timestamptz      not null,
    closed_at       timestamptz,
    closed_by       text             not null default '',
    closed_score    integer          not null default 0,
    whitelist_until timestamptz,
    reopened        integer          not null default 0,
    revision        bigint           not null default 1
) with (fillfactor = 80);

create unique index abuse_cases_live on abuse_cases (user_ref) where state in ('open', 'actioned');
create unique index abuse_cases_number on abuse_cases (number);
create index abuse_cases_user on abuse_cases (user_ref, opened_at);
create index abuse_cases_due on abuse_cases (scored_at) where state in ('open', 'actioned');
create index abuse_cases_score on abuse_cases (score, id);
create index abuse_cases_opened on abuse_cases (opened_at, id);
create index abuse_cases_closed on abuse_cases (closed_at) where closed_at is not null;

create table abuse_notes (
    id         uuid        primary key,
    case_id    uuid        not null references abuse_cases (id) on delete cascade,
    text       text        not null,
    created_by text        not null,
    created_at timestamptz not null
);

create index abuse_notes_case on abuse_notes (case_id, created_at);

-- Secrets of the fleet: the salt of the hashes of prefixes, made once.
create table abuse_secrets (
    name   text primary key,
    sealed text not null
);

-- Which content of a document was set for a node, by its digest: what is the same is not set again.
create table abuse_placed (
    node_id  uuid not null references nodes (id) on delete cascade,
    document text not null,
    digest   text not null,
    primary key (node_id, document)
) with (fillfactor = 80);
