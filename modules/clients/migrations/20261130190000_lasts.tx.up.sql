-- How many days the time of a client lasts that begins with its next use, and when it had last been seen as that was
-- decided.
alter table client_profiles
    add column lasts_days integer,
    add column lasts_from timestamptz;
create index clients_unbegun on client_profiles (id) where lasts_days is not null;
