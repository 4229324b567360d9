create table target_searches (
    id          uuid        primary key,
    node_id     uuid        not null references nodes (id) on delete cascade,
    node_name   text        not null,
    mode        text        not null,
    targets     jsonb       not null,
    total       integer     not null,
    concurrency integer     not null,
    timeout_s   integer     not null,
    state       text        not null,
    reason      text        not null,
    scanned     integer     not null,
    found       integer     not null,
    announced   integer,
    command_id  uuid        not null,
    account_id  uuid        not null,
    started_by  text        not null,
    created_at  timestamptz not null,
    ends_by     timestamptz not null,
    ended_at    timestamptz
);

-- One search at a time on a node; single checks beside it are bounded by their number in an hour.
create unique index target_searches_running on target_searches (node_id) where state = 'running' and mode <> 'check';
create index target_searches_created_at on target_searches (created_at);

create table target_results (
    id          uuid             primary key,
    search_id   uuid             not null references target_searches (id) on delete cascade,
    number      integer          not null,
    node_id     uuid             not null,
    target      text             not null,
    server_name text             not null,
    finding     jsonb            not null,
    suitability text             not null,
    score       integer          not null,
    latency_ms  double precision not null,
    reasons     jsonb            not null,
    checked_at  timestamptz      not null,
    valid_until timestamptz      not null
);

create unique index target_results_number on target_results (search_id, number);
create index target_results_score on target_results (search_id, score);
