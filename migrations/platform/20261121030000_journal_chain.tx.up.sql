-- The journal is append-only and chained: each sealed entry carries the keyed hash of itself and of the one before it.
alter table journal
    alter column changes drop default,
    alter column changes type text using changes::text,
    add column count     integer not null default 1 check (count > 0),
    add column mark      bytea   not null default '', -- keyed hash of the entry alone, made when it was written
    add column seq       bigint,
    add column hash_prev bytea,
    add column hash      bytea;

create unique index journal_seq on journal (seq);
create index journal_unsealed on journal (id) where seq is null;
create index journal_action on journal (action, at desc);
create index journal_actor on journal (actor_id, at desc);
create index journal_object on journal (object_id, at desc);

create table journal_keys (
    id         uuid        primary key,
    sealed     text        not null,
    created_at timestamptz not null default now()
);

create unique index journal_keys_one on journal_keys ((true));

-- What retention removed, so that the rest stays provable: the chain goes on from this hash.
create table journal_checkpoints (
    seq     bigint      primary key,
    hash    bytea       not null,
    entries bigint      not null,
    at      timestamptz not null,
    mac     bytea       not null
);

-- The latest head that each panel on this database has seen; each keeps the same outside the database.
create table journal_heads (
    panel_id uuid        primary key,
    seq      bigint      not null,
    hash     bytea       not null,
    at       timestamptz not null,
    mac      bytea       not null
);

create function journal_is_append_only() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and old.seq is null and new.seq is not null
        and (new.id, new.at, new.actor_kind, new.actor_id, new.actor_name, new.action, new.object_type, new.object_id, new.object_name,
             new.result, new.ip, new.user_agent, new.request_id, new.changes, new.count, new.mark)
        is not distinct from
            (old.id, old.at, old.actor_kind, old.actor_id, old.actor_name, old.action, old.object_type, old.object_id, old.object_name,
             old.result, old.ip, old.user_agent, old.request_id, old.changes, old.count, old.mark) then
        return new;
    end if;
    if tg_op = 'DELETE' and current_setting('panel.journal_retention', true) = 'on' then
        return old;
    end if;
    raise exception 'the journal is append-only' using errcode = 'insufficient_privilege';
end
$$;

create trigger journal_append_only before update or delete on journal for each row execute function journal_is_append_only();
create trigger journal_not_truncated before truncate on journal for each statement execute function journal_is_append_only();

-- Grants stand beside the trigger where they can: a superuser passes them anyway.
do $$
begin
    if not (select rolsuper from pg_roles where rolname = current_user) then
        execute format('revoke update, delete, truncate on journal from %I', current_user);
        execute format('grant update (seq, hash_prev, hash) on journal to %I', current_user);
    end if;
end
$$;
