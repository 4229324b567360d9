-- Files by their digest, in pieces, so that neither end holds a whole file in memory.
create table files (
    id         uuid        primary key,
    sha256     text        unique check (sha256 ~ '^[0-9a-f]{64}$'),
    size       bigint      not null default 0,
    created_at timestamptz not null default now()
);

create table file_pieces (
    file_id uuid    not null references files (id) on delete cascade,
    number  integer not null,
    content bytea   not null,
    primary key (file_id, number)
);

-- What is stored is compressed or random already.
alter table file_pieces alter column content set storage external;

-- Who needs a file, and who may fetch it: nobody but the panel (''), every agent ('agents'), or one node (its id).
create table file_uses (
    owner    text not null,
    sha256   text not null references files (sha256),
    audience text not null default '',
    primary key (owner, sha256, audience)
);

create index file_uses_file on file_uses (sha256);
create index files_created on files (created_at);
