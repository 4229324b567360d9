create table trial_streams (
    node_id    uuid        not null,
    stream_id  text        not null,
    last_seq   bigint      not null,
    dropped    bigint      not null,
    updated_at timestamptz not null default now(),
    primary key (node_id, stream_id)
);

create table trial_items (
    node_id uuid   not null,
    xact    bigint not null,
    number  bigint not null
);
