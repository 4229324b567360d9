-- Older databases have these tables already: the module nodes made them before bindings had a module of their own.
create table if not exists node_domains (
    id         uuid        primary key,
    node_id    uuid        not null references nodes (id) on delete cascade,
    zone_id    uuid,
    zone       text        not null,
    label      text        not null,
    hostname   text        not null,
    mode       text        not null,
    ttl        integer     not null,
    owner_id   uuid        not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    revision   bigint      not null default 1
);

create unique index if not exists node_domains_hostname on node_domains (hostname);
create index if not exists node_domains_node on node_domains (node_id);

create table if not exists node_domain_uses (
    domain_id uuid not null references node_domains (id) on delete restrict,
    flow_id   uuid not null,
    primary key (domain_id, flow_id)
);
