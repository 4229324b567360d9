-- A full restore replaces the database that tells how far it is; its row comes back with the restored one.
comment on column backup_restores.mode is 'verify: into a scratch database; full: in place of this database';
create index backup_runs_artefact on backup_runs ((artefact ->> 'name')) where artefact is not null;
