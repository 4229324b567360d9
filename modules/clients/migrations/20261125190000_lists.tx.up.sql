-- The clients of a flow are a numbered list, which the agents of its entries hold beside their configuration. open says
-- that some agent does not hold the newest revision yet, or that something may have changed since it was made.
create table client_lists (
    flow_id        uuid        primary key,
    revision       bigint      not null default 0,
    installed      bigint      not null default 0, -- that all agents hold
    nodes          integer     not null default 0, -- that shall hold it
    fixed          boolean     not null default false, -- some entry has its clients in its configuration
    digest         text        not null default '',
    changes        bigint      not null default 1,
    seen           bigint      not null default 0, -- changes that the newest revision knows
    open           boolean     not null default true,
    since          timestamptz not null default now(), -- when it was opened
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default ''
);
create index client_lists_open on client_lists (lease_until) where open;

-- Who is on the list, with the revision since which that is so.
create table client_listed (
    flow_id    uuid        not null references client_lists (flow_id) on delete cascade,
    client_id  uuid        not null,
    ref        text        not null,
    expires_at timestamptz,
    since      bigint      not null,
    primary key (flow_id, client_id)
);

-- Which agents hold it: given is the revision in the document of the agent, document the revision of that document with
-- which it came there.
create table client_list_nodes (
    flow_id   uuid    not null references client_lists (flow_id) on delete cascade,
    node_id   uuid    not null,
    given     bigint  not null default 0,
    document  bigint  not null default 0,
    installed bigint  not null default 0,
    leaves    boolean not null default false,
    primary key (flow_id, node_id)
);
create index client_list_nodes_node on client_list_nodes (node_id);
