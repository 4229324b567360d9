-- A page that is sorted by state costs the page, too.
create index nodes_state_order on nodes (listed_state, id);
