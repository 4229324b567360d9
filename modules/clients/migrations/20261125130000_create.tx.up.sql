-- A client is a person or a device. What it may use is a row for each flow, with a secret of its own.
create table client_profiles (
    id               uuid        primary key,
    label            text        not null,
    label_key        text,
    note             text        not null default '',
    tags             text[]      not null default '{}',
    owner_id         text        not null,
    enabled          boolean     not null default true,
    expires_at       timestamptz,
    expiry_told_at   timestamptz,
    public_hash      bytea,
    public_issued_at timestamptz,
    revoked_at       timestamptz,
    revision         bigint      not null default 1,
    created_at       timestamptz not null,
    updated_at       timestamptz not null
);

create index clients_listed on client_profiles ((coalesce(label_key, lower(label)) collate "C"), id);
create index clients_created on client_profiles (created_at, id);
create index clients_owner on client_profiles (owner_id);
create index clients_expiring on client_profiles (expires_at) where expires_at is not null and expiry_told_at is null;
create unique index clients_public on client_profiles (public_hash);

create table client_flows (
    client_id  uuid        not null references client_profiles (id) on delete cascade,
    flow_id    uuid        not null,
    secret     text        not null,
    moved      boolean     not null default false,
    generation integer     not null default 1,
    installed  boolean     not null default false,
    created_at timestamptz not null,
    revoked_at timestamptz,
    primary key (client_id, flow_id)
);

create index client_flows_flow on client_flows (flow_id, created_at, client_id);

-- Until now a client belonged to one flow. Each of them goes on as a client of its own, with its id, its secret and its
-- subscription. A secret is sealed for its place: the panel seals those that have moved anew when it starts.
do $$
begin
    if to_regclass('flow_clients') is not null then
        insert into client_profiles (id, label, label_key, owner_id, public_hash, public_issued_at, revoked_at, created_at,
                updated_at)
            select c.id, c.label, c.label_key, f.owner_id, c.public_hash, c.public_issued_at, c.revoked_at,
                c.created_at, coalesce(c.revoked_at, c.public_issued_at, c.created_at)
            from flow_clients c join flows f on f.id = c.flow_id;
        insert into client_flows (client_id, flow_id, secret, moved, installed, created_at, revoked_at)
            select c.id, c.flow_id, c.secret, true, exists (select from flow_fragments g
                    where g.flow_id = c.flow_id and c.id::text = any(g.client_ids)), c.created_at, c.revoked_at
            from flow_clients c;
    end if;
end $$;
