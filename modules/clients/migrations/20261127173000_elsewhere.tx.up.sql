-- Somebody else serves all entries that are installed, to users of their own: no apply would let in a client of ours.
alter table client_lists add column elsewhere boolean not null default false;
