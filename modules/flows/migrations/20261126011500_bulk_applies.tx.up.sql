-- Applies of many flows that were asked for as one: what became of each is told while it goes on and for a month after.
create table flow_bulk_applies (
    id uuid primary key,
    operation_id uuid not null,
    stop_on_failure boolean not null,
    items jsonb not null,
    written integer not null default 0,
    started_by text not null,
    account_id text not null,
    started_at timestamptz not null,
    finished_at timestamptz
);
create index flow_bulk_applies_started on flow_bulk_applies (started_at);
create index flow_applies_plan on flow_applies (plan_id) where plan_id is not null;
