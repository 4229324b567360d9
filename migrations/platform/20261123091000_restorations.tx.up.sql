-- A full restore writes here what outlives it, also into a database of an earlier version: the table may be there.
create table if not exists restorations (
    id          uuid        primary key,
    restored_at timestamptz not null,
    note        jsonb       not null,
    outcome     jsonb
);

comment on table restorations is 'full restores of this database; the outcome is null until a panel has settled one';
