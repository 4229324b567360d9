-- One row: whether everything that the panel does by itself is stopped, since when, by whom and why.
create table automation_switch (
    one        boolean     primary key default true check (one),
    stopped    boolean     not null default false,
    actor_id   text        not null default '',
    actor_name text        not null default '',
    reason     text        not null default '',
    changed_at timestamptz
);

insert into automation_switch default values;
