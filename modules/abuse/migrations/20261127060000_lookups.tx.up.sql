-- Who asked which user was behind an address of the fleet at a moment, and what the stored signals told.
create table abuse_lookups (
    id          uuid        primary key,
    address     text        not null,
    port        integer     not null,
    dest        text        not null,
    dest_port   integer     not null,
    at          timestamptz not null,
    tolerance_s integer     not null,
    reason      text        not null,
    state       text        not null,
    people      jsonb       not null,
    more        boolean     not null,
    asked_by    text        not null,
    asked_at    timestamptz not null,
    ends_by     timestamptz not null,
    ended_at    timestamptz
);

create index abuse_lookups_asked on abuse_lookups (asked_at, id);
create index abuse_lookups_running on abuse_lookups (ends_by) where state = 'running';

-- What became of the question on each entry. The node may be gone since.
create table abuse_lookup_nodes (
    lookup_id  uuid        not null references abuse_lookups (id) on delete cascade,
    node_id    uuid        not null,
    node       text        not null,
    flow_ids   uuid[]      not null,
    command_id uuid,
    state      text        not null,
    since      timestamptz,
    more       boolean     not null default false,
    error      text        not null default '',
    people     jsonb       not null default '[]',
    primary key (lookup_id, node_id)
);

-- Signals are about minutes; those that are about hours are few, and are found by themselves.
create index abuse_signals_long on abuse_signals (last_at) where last_at - first_at > interval '1 hour';
