alter table flow_versions add column catalogue_version integer not null default 0;
alter table flow_applies add column catalogue_version integer not null default 0;
