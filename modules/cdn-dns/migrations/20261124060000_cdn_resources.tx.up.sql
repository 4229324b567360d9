-- What the panel made at a network that stands in front of nodes: for now the proxied records of a host name. A row is
-- written before the network is asked, and outlives its binding until the record is gone, so it refers to none.
create table cdn_resources (
    id             uuid        primary key,
    domain_id      uuid        not null,
    hostname       text        not null,
    kind           text        not null, -- of the network: cloudflare
    integration_id uuid        not null,
    zone_id        text        not null, -- as the service calls it
    zone           text        not null,
    type           text        not null, -- of the record
    value          text        not null,
    provider_id    text        not null default '',
    phase          text        not null, -- intent, written, found
    state          text        not null default 'provisioning',
    apply_id       uuid        not null, -- that made it
    created_at     timestamptz not null,
    updated_at     timestamptz not null
);

create unique index cdn_resources_value on cdn_resources (domain_id, type, value);
create index cdn_resources_hostname on cdn_resources (hostname, id);

-- Which flows are reached through a network, by which bindings.
create table cdn_uses (
    flow_id   uuid not null,
    domain_id uuid not null,
    primary key (flow_id, domain_id)
);

create index cdn_uses_domain on cdn_uses (domain_id);
