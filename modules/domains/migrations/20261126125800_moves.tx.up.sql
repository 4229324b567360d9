-- A binding that flows use moves to another node with the apply of the first flow that serves it there. Until then it
-- leads to the node before; afterwards flows that are still installed on that node keep their right to it.
alter table node_domains add column moving_to uuid references nodes (id) on delete set null;
alter table node_domains add column moved_from uuid references nodes (id) on delete set null;
create index node_domains_moving_to on node_domains (moving_to) where moving_to is not null;
create index node_domains_moved_from on node_domains (moved_from) where moved_from is not null;
