-- Hosts that are hidden for a time, each for one reason. mark is the id in the tag of the host. A row stays until the
-- host is shown again, or until it is certain that there is nothing to be shown.
create table proxypanel_hidden (
    mark          uuid        primary key,
    why           text        not null,
    connection_id uuid        not null references proxypanel_connections (id) on delete cascade,
    node_id       uuid        not null,
    name          text        not null,
    state         text        not null, -- hiding, hidden, theirs, showing
    problem       text        not null default '',
    created_at    timestamptz not null,
    updated_at    timestamptz not null
);

create index proxypanel_hidden_why on proxypanel_hidden (why);
create index proxypanel_hidden_connection on proxypanel_hidden (connection_id);
