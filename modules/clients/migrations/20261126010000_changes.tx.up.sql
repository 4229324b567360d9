-- Agents that can ask for what has changed on a list since the revision that they hold. epoch names the numbering, which
-- begins anew in a restored database; whole says that everybody on the list is to be looked at, and not those alone who
-- stand in client_list_changes; purged is the newest change that is not known any more.
alter table client_lists
    drop column digest,
    add column epoch  uuid    not null default gen_random_uuid(),
    add column whole  boolean not null default true,
    add column purged bigint  not null default 0;

create table client_list_changes (
    flow_id   uuid not null references client_lists (flow_id) on delete cascade,
    client_id uuid not null,
    primary key (flow_id, client_id)
);

-- changed is the revision with which a client came, went or got another end of its time; who has gone stays until all
-- agents have heard of it.
alter table client_listed add column changed bigint not null default 0, add column gone boolean not null default false;
update client_listed set changed = since;
create index client_listed_changed on client_listed (flow_id, changed, client_id);
create index client_listed_gone on client_listed (flow_id) where gone;

-- by_changes says that the agent was given the list by its number, and not its content.
alter table client_list_nodes add column by_changes boolean not null default false;
