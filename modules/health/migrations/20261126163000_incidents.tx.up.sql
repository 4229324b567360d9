-- What went wrong, from when it was first seen until it held again: one row for one cause, whoever suffers from it.
-- Causes are what all who suffer have in common, such as node:ID or provider:NAME; kind and subject_id name the one it
-- is told of by.
create table health_incidents (
    id              uuid        primary key,
    kind            text        not null,
    subject_id      uuid        not null,
    name            text        not null,
    class           text        not null,
    hint            text        not null default '',
    severity        text        not null,
    state           text        not null default 'open',
    causes          text[]      not null default '{}',
    began_at        timestamptz not null,
    opened_at       timestamptz not null,
    joined_at       timestamptz not null,
    acknowledged_at timestamptz,
    acknowledged_by text        not null default '',
    mitigated_at    timestamptz,
    resolved_at     timestamptz,
    resolved_by     text        not null default '',
    reopened        integer     not null default 0
);

create index health_incidents_opened on health_incidents (opened_at, id);
create index health_incidents_unresolved on health_incidents (joined_at) where state <> 'resolved';
create index health_incidents_resolved on health_incidents (resolved_at);

-- Who suffers from it. Without left_at it still does.
create table health_incident_subjects (
    incident_id uuid        not null references health_incidents (id) on delete cascade,
    kind        text        not null,
    subject_id  uuid        not null,
    name        text        not null,
    state       text        not null,
    reason      text        not null,
    hint        text        not null,
    joined_at   timestamptz not null,
    left_at     timestamptz,
    evidence    jsonb       not null default '[]',
    primary key (incident_id, kind, subject_id)
);

create unique index health_incident_subjects_suffering on health_incident_subjects (kind, subject_id) where left_at is null;
create index health_incident_subjects_subject on health_incident_subjects (kind, subject_id, joined_at);

-- What happened in it, in this order.
create table health_incident_entries (
    id          bigint      generated always as identity primary key,
    incident_id uuid        not null references health_incidents (id) on delete cascade,
    at          timestamptz not null,
    what        text        not null,
    kind        text        not null default '',
    subject_id  uuid,
    name        text        not null default '',
    state       text        not null default '',
    reason      text        not null default '',
    hint        text        not null default '',
    actor       text        not null default '',
    note        text        not null default ''
);

create index health_incident_entries_incident on health_incident_entries (incident_id, id);
