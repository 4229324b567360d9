create table licenses (
    singleton     boolean     primary key default true check (singleton),
    instance_id   uuid        not null,
    document      text        not null default '',
    sealed_key    text        not null default '',
    key_masked    text        not null default '',
    removed_at    timestamptz,
    failing_since timestamptz,
    check_at      timestamptz,
    check_ok      boolean     not null default false,
    check_error   text        not null default '',
    next_check_at timestamptz,
    told_state    text        not null default 'degraded',
    told_days     integer     not null default 0,
    clock_at      timestamptz not null
);

comment on table licenses is 'the one license of this installation';
