-- Which numbered batch of an agent was stored last; a repeated number is refused by this row. Signals and diversity are
-- numbered apart.
create table abuse_signal_streams (
    node_id    uuid        not null references nodes (id) on delete cascade,
    stream_id  text        not null,
    last_seq   bigint      not null,
    dropped    bigint      not null default 0,
    updated_at timestamptz not null default now(),
    primary key (node_id, stream_id)
) with (fillfactor = 50);

create table abuse_diversity_streams (like abuse_signal_streams including all);
alter table abuse_diversity_streams add foreign key (node_id) references nodes (id) on delete cascade;

-- Signals as agents told them, in partitions of a week of arrival. The address of a source goes first, the row later.
create table abuse_signals (
    id             uuid             not null,
    node_id        uuid             not null,
    xact           bigint           not null,
    kind           text             not null,
    user_ref       text             not null,
    flow_id        uuid,
    inbound_tag    text             not null,
    source_ip      text,
    source_hash    text             not null,
    source_asn     bigint           not null,
    source_country text             not null,
    dest_host      text             not null,
    dest_ip        text,
    dest_port      bigint           not null,
    dest_asn       bigint           not null,
    count          bigint           not null,
    first_at       timestamptz      not null,
    last_at        timestamptz      not null,
    detected_by    text             not null,
    confidence     double precision not null,
    evidence       text             not null,
    blocked        boolean          not null,
    unblock_at     timestamptz,
    stored_at      timestamptz      not null default now()
) partition by range (stored_at);

create index abuse_signals_last on abuse_signals (last_at, id);
create index abuse_signals_user on abuse_signals (user_ref, last_at);
create index abuse_signals_node on abuse_signals (node_id, last_at);
create index abuse_signals_address on abuse_signals (stored_at) where source_ip is not null;

-- From where users were connected, a row for each user, node and window, in partitions of a week of arrival. The lists
-- of a row are read whole and searched by nobody.
create table abuse_diversity (
    node_id        uuid             not null,
    xact           bigint           not null,
    user_ref       text             not null,
    from_at        timestamptz      not null,
    to_at          timestamptz      not null,
    ips            bigint           not null,
    sources        bigint           not null,
    mobile_share   double precision not null,
    max_concurrent bigint           not null,
    devices        bigint,
    first_at       timestamptz      not null,
    last_at        timestamptz      not null,
    lists          jsonb,
    stored_at      timestamptz      not null default now()
) partition by range (stored_at);

create index abuse_diversity_user on abuse_diversity (user_ref, to_at);
create index abuse_diversity_xact on abuse_diversity (xact);

-- What each agent sees of its listeners, as its newest batch said.
create table abuse_coverage (
    node_id     uuid        not null references nodes (id) on delete cascade,
    inbound_tag text        not null,
    source      text        not null,
    complete    boolean     not null,
    at          timestamptz not null,
    primary key (node_id, inbound_tag)
) with (fillfactor = 70);

-- What an agent told and the panel did not take: of users and flows that its node does not serve, or without sense.
create table abuse_refused (
    node_id    uuid        primary key references nodes (id) on delete cascade,
    items      bigint      not null,
    reason     text        not null,
    refused_at timestamptz not null
);

-- Who and what is never taken for abuse.
create table abuse_allowlist (
    id         uuid        primary key,
    kind       text        not null,
    value      text        not null,
    note       text        not null default '',
    until      timestamptz,
    created_by text        not null,
    created_at timestamptz not null
);

create unique index abuse_allowlist_entry on abuse_allowlist (kind, value);

-- Makes the partition of one week, aside from the table, and attaches it: readers and writers are not stopped.
create function abuse_partition(parent text, from_at timestamptz, to_at timestamptz) returns void language plpgsql as $$
declare
    part text := parent || '_' || to_char(from_at at time zone 'UTC', 'YYYYMMDD');
begin
    if to_regclass(part) is null then
        execute format('create table %I (like %I including defaults including indexes)', part, parent);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, from_at, to_at);
    end if;
end $$;

-- Partitions for this week and the next one.
create function abuse_prepare() returns void language plpgsql as $$
declare
    week timestamp := date_trunc('week', now() at time zone 'UTC');
    span timestamp;
begin
    perform pg_advisory_xact_lock(7203120616);
    for span in select generate_series(week, week + interval '7 days', interval '7 days') loop
        perform abuse_partition('abuse_signals', span at time zone 'UTC', (span + interval '7 days') at time zone 'UTC');
        perform abuse_partition('abuse_diversity', span at time zone 'UTC', (span + interval '7 days') at time zone 'UTC');
    end loop;
end $$;

-- Drops the weeks that ended before a moment.
create function abuse_expire(before timestamptz) returns void language plpgsql as $$
declare
    part record;
begin
    perform pg_advisory_xact_lock(7203120616);
    for part in
        select c.relname, to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp + interval '7 days' as ended
        from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where p.relname in ('abuse_signals', 'abuse_diversity') and c.relkind = 'r'
    loop
        if part.ended <= before at time zone 'UTC' then
            execute format('drop table %I', part.relname);
        end if;
    end loop;
end $$;

select abuse_prepare();
