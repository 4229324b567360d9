-- What the agents of entries may let clients use of their quotas, by the agents' own counts: counted is what the panel
-- knows of a count, granted the limit of it. held is the highest limit that the agent may go by, above granted until it
-- has said that it holds the document with the newest one.
create table client_shares (
    client_id uuid    not null references client_profiles (id) on delete cascade,
    node_id   uuid    not null,
    counted   bigint  not null default 0,
    recent    bigint  not null default 0, -- of counted, since the time before
    granted   bigint  not null default 0,
    held      bigint  not null default 0,
    no_quota  boolean not null default false,
    document  bigint  not null default 0, -- revision of the agent's document that brings granted; 0: none does yet
    confirmed boolean not null default false,
    primary key (client_id, node_id)
);
create index client_shares_waiting on client_shares (node_id, client_id) where not confirmed;
create index client_shares_recent on client_shares (client_id) where recent > 0;

-- Whose shares are to be looked at; and of which lists, because other agents hold them. shares says that an agent knows
-- shares.
alter table client_profiles add column unshared boolean not null default false;
update client_profiles set unshared = true where quota_bytes is not null;
create index clients_unshared on client_profiles (id) where unshared;
alter table client_lists add column reshare boolean not null default true;
alter table client_list_nodes add column shares boolean not null default false;
