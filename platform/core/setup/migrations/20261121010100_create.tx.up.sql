create table installation (
    single      boolean     primary key default true check (single),
    created_at  timestamptz not null default now(),
    finished_at timestamptz
);

insert into installation default values;
