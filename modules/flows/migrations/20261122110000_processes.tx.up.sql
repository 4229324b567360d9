-- Plans whose checks are open and applies that are under way are driven by leases.
alter table flow_plans add column checking boolean not null default false;
update flow_plans set checking = true where ask_until is not null;
alter table flow_plans drop column ask_until, drop column asker,
    add column lease_token    text        not null default '',
    add column lease_until    timestamptz not null default now(),
    add column lease_failures integer     not null default 0,
    add column lease_error    text        not null default '',
    add column fingerprint    text        not null default '',
    add column content        text        not null default '';
create index flow_plans_checking on flow_plans (lease_until) where checking;

alter table flow_checks rename column ask to probe;
alter table flow_checks add column finding jsonb not null default '{}';

alter table flow_applies rename column runner to lease_token;
alter table flow_applies alter column lease_until set default now(),
    add column lease_failures integer     not null default 0,
    add column lease_error    text        not null default '',
    add column fingerprint    text        not null default '',
    add column change         jsonb       not null default '{}',
    add column stages         jsonb       not null default '[]',
    add column text           jsonb       not null default '{}',
    add column nodes_since    timestamptz,
    add column stopped_by     text,
    add column stopped_at     timestamptz;
update flow_applies set lease_token = '', lease_until = now(), nodes_since = started_at where finished_at is null;

-- A step is a row of its own, so that what happens on one node is not written for all of them.
create table flow_apply_steps (
    apply_id uuid    not null references flow_applies (id) on delete cascade,
    position integer not null,
    node_id  text    not null,
    step     jsonb   not null,
    primary key (apply_id, position)
);
insert into flow_apply_steps (apply_id, position, node_id, step)
    select a.id, s.position - 1, s.step ->> 'node_id', s.step
    from flow_applies a cross join lateral jsonb_array_elements(a.steps) with ordinality s (step, position);
alter table flow_applies drop column steps;

alter table flow_applies drop constraint flow_applies_kind_check,
    add constraint flow_applies_kind_check check (kind in ('apply', 'enable', 'rerender', 'disable', 'delete'));

-- What is still to be done about a flow when its apply has ended: stages after the commit that do not hold yet, and
-- stages whose undoing does not hold yet. It outlives the flow.
create table flow_followups (
    id             uuid        primary key,
    flow_id        uuid        not null,
    apply_id       uuid        not null,
    stage          text        not null,
    undo           boolean     not null,
    apply          jsonb       not null,
    record         jsonb       not null,
    started_at     timestamptz not null,
    lease_token    text        not null default '',
    lease_until    timestamptz not null default now(),
    lease_failures integer     not null default 0,
    lease_error    text        not null default '',
    unique (flow_id, stage)
);
create index flow_followups_due on flow_followups (lease_until);
