-- An action may be an apply of its own.
alter table health_actions add column apply_id text not null default '';
