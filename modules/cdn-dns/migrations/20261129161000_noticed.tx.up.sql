-- How often somebody changed the binding or its node since a look followed that: what is asked for while a look is under
-- way is not forgotten with it.
alter table domain_watches alter column asked drop default;
alter table domain_watches alter column asked type integer using asked::integer;
alter table domain_watches alter column asked set default 0;

-- How often a look was asked for, by whomever: one that is asked for while another is under way is due after it.
alter table domain_watches add column noticed bigint not null default 0;
