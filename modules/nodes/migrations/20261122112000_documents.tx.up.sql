-- What agents hold beside their configuration. Contents are stored once for all nodes that hold the same, by their digest, and
-- sealed, because some hold secrets of clients.
create table node_document_contents (
    hash    text        primary key,
    sealed  text        not null,
    used_at timestamptz not null
);

create table node_documents (
    node_id  uuid        not null references nodes (id) on delete cascade,
    name     text        not null,
    revision bigint      not null,
    hash     text        not null references node_document_contents (hash),
    set_at   timestamptz not null,
    primary key (node_id, name)
);

create index node_documents_hash on node_documents (hash);
