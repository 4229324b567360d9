-- What clients may use of each node at once; 0 is without a limit. The lists of flows bring it to the agents.
alter table client_profiles
    add column speed_mbps integer not null default 0,
    add column addresses  integer not null default 0;
alter table client_listed
    add column speed_mbps integer not null default 0,
    add column addresses  integer not null default 0;
