-- The due day that nobody wants to be reminded of any more.
alter table hosting_servers add column skipped_due timestamptz;

-- What was told of a payment: of which due day, how near it was, and on which day of the settings' zone.
create table hosting_reminders (
    server_id  uuid        primary key references hosting_servers (id) on delete cascade,
    told_due   timestamptz not null,
    told_stage bigint      not null, -- 7, 3, 1, 0; -1: overdue
    told_day   date        not null
);
