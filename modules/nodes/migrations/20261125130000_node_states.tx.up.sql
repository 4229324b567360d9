-- Every change of a node's state, so that the fleet can be shown as it was at a moment.
create table node_states (
    node_id uuid        not null references nodes on delete cascade,
    at      timestamptz not null,
    was     text        not null,
    state   text        not null,
    primary key (node_id, at)
);
create index node_states_at on node_states (at);

-- What nodes that are there already were before is not known.
insert into node_states (node_id, at, was, state) select id, now(), 'unknown', announced_state from nodes;
