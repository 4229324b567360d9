-- Changes of many drafts that were asked for as one: what became of each is told while it goes on and for a month after.
create table flow_redraws (
    id uuid primary key,
    operation_id uuid not null,
    kind text not null,
    wanted jsonb not null,
    items jsonb not null,
    checks jsonb not null,
    written integer not null default 0,
    started_by text not null,
    account_id text not null,
    started_at timestamptz not null,
    finished_at timestamptz
);
create index flow_redraws_started on flow_redraws (started_at);
