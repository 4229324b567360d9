create table cdndns_integrations (
    id          uuid        primary key,
    provider    text        not null,
    label       text        not null,
    fields      jsonb       not null, -- what may be shown
    sealed      text        not null, -- what may not
    zones       jsonb       not null, -- those that the last check found
    zone_read   boolean     not null,
    dns_edit    boolean     not null,
    verified_at timestamptz,          -- when the last check succeeded
    last_error  text        not null,
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    revision    bigint      not null
);

create unique index cdndns_integrations_label on cdndns_integrations (label);
