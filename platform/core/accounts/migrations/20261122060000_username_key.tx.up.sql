-- lower() knows only the letters of the database's locale. The key is what the panel's folding makes of the name; the panel
-- writes the keys of existing accounts at its start. Until then, and where two names fold alike, the exact name signs in.
alter table accounts add column username_key text;
drop index accounts_username;
create unique index accounts_username on accounts (username);
create unique index accounts_username_key on accounts (username_key);
