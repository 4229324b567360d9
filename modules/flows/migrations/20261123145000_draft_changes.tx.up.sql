-- In how many blocks, ways and orders of rules the draft differs from the installed version.
alter table flows add column draft_changes integer;
