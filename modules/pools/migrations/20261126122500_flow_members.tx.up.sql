-- A member of a pool is a node or a flow.
alter table transit_pool_members alter column node_id drop not null;
alter table transit_pool_members add column flow_id uuid references flows (id);
alter table transit_pool_members add constraint transit_pool_members_one check ((node_id is null) <> (flow_id is null));
alter table transit_pool_members add constraint transit_pool_members_flow unique (pool_id, flow_id);
create index transit_pool_members_flow_id on transit_pool_members (flow_id) where flow_id is not null;
