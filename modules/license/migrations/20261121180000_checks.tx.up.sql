alter table licenses add column checks jsonb not null default '[]';

comment on column licenses.checks is 'the latest questions to license servers, newest first';
