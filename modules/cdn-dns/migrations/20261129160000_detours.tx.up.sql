-- Host names that lead to another address of their node for a while, because somebody had a reason.
create table domain_detours (
    domain_id  uuid        not null references domain_watches (domain_id) on delete cascade,
    before     inet        not null, -- the address that the record would hold otherwise
    value      inet        not null,
    why        text        not null, -- a word of whoever asked for it
    created_at timestamptz not null,
    primary key (domain_id, before)
);

create index domain_detours_why on domain_detours (why);
