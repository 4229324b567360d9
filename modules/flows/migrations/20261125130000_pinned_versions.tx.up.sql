-- Versions that stay when others go by their number or age.
alter table flow_versions add column pinned boolean not null default false;
