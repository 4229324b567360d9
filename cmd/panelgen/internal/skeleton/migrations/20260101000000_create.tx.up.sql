create table skeleton_items (
    id         uuid        primary key,
    name       text        not null,
    note       text        not null,
    seen_at    timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    revision   bigint      not null
);

create unique index skeleton_items_name on skeleton_items (name);
