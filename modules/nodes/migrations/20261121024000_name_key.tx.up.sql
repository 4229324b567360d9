-- The name in lower case, in every script: the server's own lower() knows only the letters of its locale.
alter table nodes add column name_key text not null default '';
update nodes set name_key = lower(name);
alter table nodes alter column name_key drop default;
drop index nodes_name;
create unique index nodes_name on nodes (name_key);
