-- What the panel made at a CDN whose account is an integration of its own: one front for each host name. A row is
-- written before the service is asked, and outlives its binding until nothing is left of it.
create table cdn_fronts (
    id             uuid        primary key,
    domain_id      uuid        not null,
    hostname       text        not null,
    kind           text        not null, -- of the network: bunny, yandex
    integration_id uuid        not null references cdndns_integrations (id) on delete restrict,
    name           text        not null, -- by which the service finds it again
    origin         text        not null, -- address that the network fetches from
    origin_tls     boolean     not null,
    marks          jsonb       not null default '{}', -- what the service calls its parts
    target         text        not null default '',   -- that the host name's CNAME leads to
    records        jsonb       not null default '[]', -- what the zone must hold
    step           text        not null,
    state          text        not null default 'provisioning',
    apply_id       uuid        not null, -- that made it
    created_at     timestamptz not null,
    updated_at     timestamptz not null
);

create unique index cdn_fronts_domain on cdn_fronts (domain_id, integration_id);
create index cdn_fronts_integration on cdn_fronts (integration_id);
