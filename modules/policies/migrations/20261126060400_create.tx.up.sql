create table policies (
    id                uuid        primary key,
    name              text        not null,
    name_key          text        not null,
    kind              text        not null,
    rules             jsonb       not null,
    allowed_protocols jsonb       not null,
    created_at        timestamptz not null,
    updated_at        timestamptz not null,
    revision          bigint      not null
);

create unique index policies_name on policies (name_key collate "C");

-- The policies that flows obey: at most one of each kind.
create table policy_flows (
    flow_id   uuid not null references flows (id) on delete cascade,
    kind      text not null,
    policy_id uuid not null references policies (id),
    primary key (flow_id, kind)
);

create index policy_flows_policy on policy_flows (policy_id);

-- Each save makes a row; flows that run keep the version that they were compiled with.
create table policy_catalogue (
    id       uuid        primary key,
    version  integer     not null unique,
    content  jsonb       not null,
    note     text        not null,
    saved_at timestamptz not null,
    saved_by text        not null
);

create table custom_plans (
    id         uuid        primary key,
    name       text        not null,
    name_key   text        not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);

create unique index custom_plans_name on custom_plans (name_key collate "C");

create table custom_plan_versions (
    id          uuid        primary key,
    plan_id     uuid        not null references custom_plans (id) on delete cascade,
    number      integer     not null,
    body        jsonb       not null,
    schema_hash text        not null,
    password    text        not null default '',
    created_at  timestamptz not null,
    created_by  text        not null,
    unique (plan_id, number)
);

-- The versions of custom plans that the flows of a policy may use.
create table policy_plans (
    policy_id  uuid not null references policies (id) on delete cascade,
    version_id uuid not null references custom_plan_versions (id) on delete cascade,
    primary key (policy_id, version_id)
);

create index policy_plans_version on policy_plans (version_id);
