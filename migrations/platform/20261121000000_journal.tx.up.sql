create table journal (
    id          uuid        primary key,
    at          timestamptz not null,
    actor_kind  text        not null,
    actor_id    text        not null default '',
    actor_name  text        not null default '',
    action      text        not null,
    object_type text        not null default '',
    object_id   text        not null default '',
    object_name text        not null default '',
    result      text        not null,
    ip          text        not null default '',
    user_agent  text        not null default '',
    request_id  text        not null default '',
    changes     jsonb       not null default '{}'
);

create index journal_at on journal (at desc, id desc);
