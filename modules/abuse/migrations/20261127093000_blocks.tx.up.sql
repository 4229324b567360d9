-- Addresses and networks that nodes do not answer for a time.
create table abuse_blocks (
    id         uuid        primary key,
    network    text        not null,
    node_ids   uuid[]      not null,
    reason     text        not null,
    created_by text        not null,
    action_id  uuid        references abuse_actions (id) on delete set null,
    case_id    uuid        references abuse_cases (id) on delete set null,
    created_at timestamptz not null,
    until      timestamptz not null,
    lifted_at  timestamptz,
    lifted_by  text        not null default '',
    placed     boolean     not null default false
);

create index abuse_blocks_created on abuse_blocks (created_at, id);
create index abuse_blocks_until on abuse_blocks (until, id);
create index abuse_blocks_live on abuse_blocks (network) where lifted_at is null;
create index abuse_blocks_action on abuse_blocks (action_id) where action_id is not null;
create index abuse_blocks_case on abuse_blocks (case_id) where case_id is not null;
