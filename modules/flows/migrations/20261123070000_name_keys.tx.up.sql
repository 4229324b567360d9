-- lower() knows only the letters of the database's locale. The keys are what the panel's folding makes of the names; the
-- panel writes those of existing rows at its start.
alter table flows add column name_key text;
alter table flow_clients add column label_key text;
create index flows_listed on flows ((coalesce(name_key, lower(name)) collate "C"), id) where not deleting;
create index flow_clients_listed on flow_clients (flow_id, (coalesce(label_key, lower(label)) collate "C"), id);
