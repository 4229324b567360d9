-- The panel keeps new traffic from a member for as long as it sees its node down: the id of whoever says so.
alter table transit_pool_members add column withdrawn text not null default '';
create index transit_pool_members_withdrawn on transit_pool_members (withdrawn) where withdrawn <> '';
