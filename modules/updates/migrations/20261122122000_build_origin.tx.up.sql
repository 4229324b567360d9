-- A release that came with the panel's own executables goes back with them.
alter table agent_builds add column with_panel boolean not null default false;
