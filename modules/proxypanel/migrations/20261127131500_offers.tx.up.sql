-- Nodes of proxy panels that serve flows, each with the node of ours that it runs on. before is what it ran when it was
-- adopted. written is the configuration of its profile as the proxy panel showed it after the last write, sent_sum what
-- was sent then; intended is one whose write has not ended.
create table proxypanel_mappings (
    id            uuid        primary key,
    connection_id uuid        not null references proxypanel_connections (id),
    panel_node_id uuid        not null,
    node_id       uuid        not null,
    name          text        not null,
    address       text        not null,
    before        jsonb       not null,
    profile_name  text        not null,
    profile_id    text        not null default '',
    written       text        not null default '',
    written_sum   text        not null default '',
    sent_sum      text        not null default '',
    intended      text        not null default '',
    core          text        not null default '',
    connected     boolean     not null default false,
    disabled      boolean     not null default false,
    gone_at       timestamptz,
    seen_at       timestamptz not null,
    adopted_by    text        not null,
    adopted_at    timestamptz not null,
    unique (connection_id, panel_node_id),
    unique (connection_id, node_id)
);

create index proxypanel_mappings_node on proxypanel_mappings (node_id);

-- What was put there for the entries of flows. content is what shall be there, before what was before the apply that
-- changes it; both are sealed. mark is the id in the tag of its host.
create table proxypanel_parts (
    id            uuid        primary key,
    mapping_id    uuid        not null references proxypanel_mappings (id),
    connection_id uuid        not null references proxypanel_connections (id),
    flow_id       uuid        not null,
    block         text        not null,
    tag           text        not null,
    mark          uuid        not null,
    content       text        not null,
    before        text        not null default '',
    before_phase  text        not null default '',
    phase         text        not null,
    apply_id      uuid,
    inbound_id    text        not null default '',
    host_id       text        not null default '',
    host_sent     jsonb,
    remark        jsonb,
    port          integer     not null,
    l4            text        not null,
    squads        jsonb       not null,
    enabled_at    timestamptz,
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    unique (flow_id, block, mapping_id)
);

create index proxypanel_parts_mapping on proxypanel_parts (mapping_id);
create index proxypanel_parts_apply on proxypanel_parts (apply_id) where apply_id is not null;
create index proxypanel_parts_unsettled on proxypanel_parts (updated_at) where phase in ('committed', 'leaving');

-- Who writes to a proxy panel now, of all panels on this database.
create table proxypanel_writers (
    connection_id uuid        primary key,
    token         text        not null,
    until         timestamptz not null
);

-- What is not there as it was written.
create table proxypanel_drifts (
    connection_id uuid        not null references proxypanel_connections (id) on delete cascade,
    object        text        not null,
    field         text        not null,
    kind          text        not null,
    name          text        not null,
    node_id       text        not null,
    ours          text        not null,
    theirs        text        not null,
    adoptable     boolean     not null,
    since         timestamptz not null,
    primary key (connection_id, object, field)
);

create table proxypanel_drift_looks (
    connection_id uuid        primary key references proxypanel_connections (id) on delete cascade,
    looked_at     timestamptz not null,
    told          boolean     not null
);
