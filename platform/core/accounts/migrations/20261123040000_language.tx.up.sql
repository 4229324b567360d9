-- The language in which an administrator reads the web interface, so that another browser shows the same one.
alter table accounts
    add column language text not null default '' check (language in ('', 'en', 'ru'));
