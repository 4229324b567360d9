-- What is known of the objects of a proxy panel. Fields are a closed list for each kind; hash covers all that is kept.
-- A row is written only when that changed: seen_at is when its present form was first seen. Gone rows stay for names.
create table proxypanel_objects (
    connection_id uuid        not null references proxypanel_connections (id) on delete cascade,
    kind          text        not null,
    external_id   uuid        not null,
    name          text        not null,
    parent_id     uuid,
    fields        jsonb       not null,
    hash          bytea       not null,
    seen_at       timestamptz not null,
    gone_at       timestamptz,
    primary key (connection_id, kind, external_id)
);

create index proxypanel_objects_name on proxypanel_objects (connection_id, kind, name, external_id);
create index proxypanel_objects_gone on proxypanel_objects (gone_at) where gone_at is not null;

-- Users by the id that they have there. made_at tells a user from a later one of the same id.
create table proxypanel_users (
    row_id        uuid        not null default gen_random_uuid(),
    connection_id uuid        not null references proxypanel_connections (id) on delete cascade,
    id            bigint      not null,
    username      text        not null,
    status        text        not null,
    tag           text        not null,
    traffic_limit bigint      not null,
    traffic_used  bigint      not null,
    lifetime_used bigint      not null,
    expires_at    timestamptz,
    online_at     timestamptz,
    last_node_id  uuid,
    made_at       timestamptz,
    squads        jsonb       not null,
    hash          bytea       not null,
    seen_at       timestamptz not null,
    gone_at       timestamptz,
    primary key (connection_id, id)
) with (fillfactor = 90);

create index proxypanel_users_name on proxypanel_users (connection_id, username, row_id);
create index proxypanel_users_gone on proxypanel_users (gone_at) where gone_at is not null;
