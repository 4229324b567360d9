-- Whether somebody changed the binding or its node, and no look has followed that yet: such a change of DNS is nobody's
-- automatic act.
alter table domain_watches add column asked boolean not null default false;
