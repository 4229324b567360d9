-- Who writes to a name at a DNS service at the moment. A lock that its panel did not give back ends by itself.
create table cdndns_name_locks (
    name  text        primary key, -- service, zone and host name
    token uuid        not null,    -- of the write that holds it
    until timestamptz not null
);
