-- Each process numbers the entries it writes, inside what its mark proves, so that one removed before it was sealed leaves a
-- gap. Entries from before have no number.
alter table journal
    add column writer text   not null default '',
    add column number bigint not null default 0;

-- Numbers whose transaction was undone, said so by the process that took them: no entry ever had them.
create table journal_voids (
    writer text   not null,
    number bigint not null,
    mac    bytea  not null,
    primary key (writer, number)
);

-- Which numbers of each writer retention removed; empty in checkpoints from before.
alter table journal_checkpoints add column removed bytea not null default '';

-- How much time panels have lived through, proved by the journal's key: retention believes no clock that runs ahead of it.
create table journal_clocks (
    panel_id uuid        primary key,
    at       timestamptz not null,
    mac      bytea       not null
);

create or replace function journal_is_append_only() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and old.seq is null and new.seq is not null
        and (new.id, new.at, new.actor_kind, new.actor_id, new.actor_name, new.action, new.object_type, new.object_id, new.object_name,
             new.result, new.ip, new.user_agent, new.request_id, new.changes, new.count, new.mark, new.writer, new.number)
        is not distinct from
            (old.id, old.at, old.actor_kind, old.actor_id, old.actor_name, old.action, old.object_type, old.object_id, old.object_name,
             old.result, old.ip, old.user_agent, old.request_id, old.changes, old.count, old.mark, old.writer, old.number) then
        return new;
    end if;
    if tg_op = 'DELETE' and current_setting('panel.journal_retention', true) = 'on' then
        return old;
    end if;
    raise exception 'the journal is append-only' using errcode = 'insufficient_privilege';
end
$$;
