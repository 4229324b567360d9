-- Pages that tell users how the service does. Draft is what people edit; what readers see is the content of a deploy.
create table statuspage_pages (
    id                  uuid        primary key,
    slug                text        not null constraint statuspage_pages_slug unique,
    draft               jsonb       not null,
    revision            bigint      not null default 1,
    published_deploy_id uuid,
    published_revision  bigint      not null default 0,
    published_at        timestamptz,
    created_at          timestamptz not null,
    updated_at          timestamptz not null
);

-- Logos by their digest: the one of the draft and those that deploys still show.
create table statuspage_logos (
    page_id    uuid        not null references statuspage_pages (id) on delete cascade,
    sha256     text        not null,
    media_type text        not null,
    content    bytea       not null,
    created_at timestamptz not null,
    primary key (page_id, sha256)
);

-- What people are told of an incident, with its updates. One that was drafted from an incident of health names it.
create table statuspage_notices (
    id                 uuid        primary key,
    page_id            uuid        not null references statuspage_pages (id) on delete cascade,
    titles             jsonb       not null,
    impact             text        not null,
    state              text        not null,
    published          boolean     not null,
    publish_at         timestamptz,
    health_incident_id uuid,
    component_ids      uuid[]      not null default '{}',
    started_at         timestamptz not null,
    resolved_at        timestamptz,
    revision           bigint      not null default 1,
    updated_at         timestamptz not null,
    constraint statuspage_notices_incident unique (page_id, health_incident_id)
);

create index statuspage_notices_page on statuspage_notices (page_id, started_at, id);
create index statuspage_notices_due on statuspage_notices (publish_at) where publish_at is not null;

create table statuspage_updates (
    id        uuid        primary key,
    notice_id uuid        not null references statuspage_notices (id) on delete cascade,
    at        timestamptz not null,
    state     text        not null,
    bodies    jsonb       not null,
    by        text        not null
);

create index statuspage_updates_notice on statuspage_updates (notice_id, at, id);

create table statuspage_maintenance (
    id            uuid        primary key,
    page_id       uuid        not null references statuspage_pages (id) on delete cascade,
    titles        jsonb       not null,
    bodies        jsonb       not null,
    starts_at     timestamptz not null,
    ends_at       timestamptz not null,
    component_ids uuid[]      not null default '{}',
    cancelled     boolean     not null default false,
    revision      bigint      not null default 1,
    updated_at    timestamptz not null
);

create index statuspage_maintenance_page on statuspage_maintenance (page_id, starts_at, id);

-- One deploy of a page and the content that it shows.
create table statuspage_deploys (
    id             uuid        primary key,
    page_id        uuid        not null references statuspage_pages (id) on delete cascade,
    revision       bigint      not null,
    content        jsonb       not null,
    state          text        not null,
    targets        jsonb       not null,
    started_by     text        not null,
    operation_id   text        not null default '',
    started_at     timestamptz not null,
    finished_at    timestamptz,
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default ''
);

create unique index statuspage_deploys_active on statuspage_deploys (page_id) where finished_at is null;
create index statuspage_deploys_open on statuspage_deploys (lease_until) where finished_at is null;
create index statuspage_deploys_page on statuspage_deploys (page_id, started_at, id);

-- Where a page is served. Files is what the place is known to hold, by path. Push_at is when it is to get the next
-- snapshot; null while it shows nothing.
create table statuspage_targets (
    id             uuid        primary key,
    page_id        uuid        not null references statuspage_pages (id) on delete cascade,
    kind           text        not null,
    label          text        not null,
    enabled        boolean     not null,
    config         jsonb       not null,
    secret         text        not null default '',
    live_deploy_id uuid,
    live_revision  bigint      not null default 0,
    failed         boolean     not null default false,
    error          text        not null default '',
    files          jsonb       not null default '{}',
    data_at        timestamptz,
    push_at        timestamptz,
    stale          boolean     not null default false,
    created_at     timestamptz not null,
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default ''
);

create index statuspage_targets_page on statuspage_targets (page_id, created_at, id);
create index statuspage_targets_due on statuspage_targets (push_at) where push_at is not null;
create index statuspage_targets_open on statuspage_targets (lease_until) where push_at is not null;

-- What the panel itself serves.
create table statuspage_files (
    target_id  uuid        not null references statuspage_targets (id) on delete cascade,
    path       text        not null,
    media_type text        not null,
    sha256     text        not null,
    content    bytea       not null,
    primary key (target_id, path)
);
