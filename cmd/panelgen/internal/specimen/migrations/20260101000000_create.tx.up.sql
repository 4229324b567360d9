create table specimen_items (
    id         uuid        primary key,
    name       text        not null,
    comment    text        not null,
    seen_at    timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    revision   bigint      not null
);

create unique index specimen_items_name on specimen_items (name);
