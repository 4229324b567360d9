alter table licenses add column asking boolean not null default false;

comment on column licenses.asking is 'a question to the license server was begun and its outcome is not known';
comment on column licenses.failing_since is 'the first temporary failure since the latest good answer; the grace period counts from here';
