-- Which host names have a listener with TLS on which node, and so whose certificates the node is given. An apply adds
-- its own before it installs anything, and takes away what is gone after its commit.
create table certificate_uses (
    flow_id  uuid not null references flows (id) on delete cascade,
    node_id  uuid not null references nodes (id) on delete cascade,
    hostname text not null,
    port     int  not null, -- the first one of a range
    primary key (flow_id, node_id, hostname, port)
);

create index certificate_uses_node on certificate_uses (node_id);
create index certificate_uses_hostname on certificate_uses (hostname);
