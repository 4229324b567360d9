-- What clients have carried by days, in UTC.
create table client_days (
    client_id uuid   not null references client_profiles (id) on delete cascade,
    day       date   not null,
    up        bigint not null,
    down      bigint not null,
    primary key (client_id, day)
);
create index client_days_day on client_days (day);
