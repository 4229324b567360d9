-- What clients have used, in the period of their quota and in all. It is counted from the samples of nodes: mark says
-- which of them are in.
alter table client_profiles
    add column quota_bytes   bigint,
    add column quota_reset   text        not null default 'never'
        check (quota_reset in ('never', 'daily', 'weekly', 'monthly')),
    add column quota_told_at timestamptz,
    add column used_since    timestamptz,
    add column used_up       bigint      not null default 0,
    add column used_down     bigint      not null default 0,
    add column total_up      bigint      not null default 0,
    add column total_down    bigint      not null default 0,
    add column last_seen_at  timestamptz;
update client_profiles set used_since = created_at;
alter table client_profiles alter column used_since set not null;
create index clients_used on client_profiles ((used_up + used_down), id);
create index clients_reset on client_profiles (quota_reset, used_since) where quota_reset <> 'never';

alter table client_flows add column up bigint not null default 0, add column down bigint not null default 0;

create table client_progress (
    id   boolean primary key default true check (id),
    mark bigint  not null
);
insert into client_progress (mark) values (0);
