-- What a page of a flow's clients shows stands beside the flow, so that it looks up nobody else: the name, the
-- subscription, the end of the time and the state that no clock changes come from client_profiles by triggers. listed is
-- the revision since which the list of the flow has the client with what it has now, null where it does not: what
-- client_listed says. noted is the newest revision of a list that its accesses know.
alter table client_flows
    add column label      text    not null default '',
    add column public     boolean not null default false,
    add column expires_at timestamptz,
    add column ended      text,
    add column listed     bigint;
alter table client_lists add column noted bigint not null default 0;

create function client_ended(c client_profiles) returns text language sql immutable as $$
    select case when c.revoked_at is not null then 'revoked' when not c.enabled then 'disabled'
        when c.used_up + c.used_down >= c.quota_bytes then 'spent' end
$$;

create function client_flow_begins() returns trigger language plpgsql as $$
declare c client_profiles;
begin
    select * into c from client_profiles where id = new.client_id;
    if found then
        new.label := c.label;
        new.public := c.public_hash is not null;
        new.expires_at := c.expires_at;
        new.ended := client_ended(c);
    end if;
    return new;
end $$;

create function client_shows() returns trigger language plpgsql as $$
begin
    update client_flows set label = new.label, public = new.public_hash is not null, expires_at = new.expires_at,
        ended = client_ended(new) where client_id = new.id;
    return null;
end $$;

create trigger client_flows_begin before insert on client_flows for each row execute function client_flow_begins();
create trigger client_profiles_show after update on client_profiles for each row
    when ((old.label, old.public_hash is null, old.expires_at, client_ended(old))
        is distinct from (new.label, new.public_hash is null, new.expires_at, client_ended(new)))
    execute function client_shows();

update client_flows a set label = c.label, public = c.public_hash is not null, expires_at = c.expires_at,
    ended = client_ended(c) from client_profiles c where c.id = a.client_id;
update client_flows a set listed = li.since from client_listed li
    where li.flow_id = a.flow_id and li.client_id = a.client_id and not li.gone
        and li.ref = a.client_id::text || case when a.generation > 1 then '/' || a.generation::text else '' end;
update client_lists set noted = revision;
