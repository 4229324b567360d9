alter table agent_rollouts rename column runner to lease_token;
alter table agent_rollouts alter column lease_until set default now();
alter table agent_rollouts add column lease_failures integer not null default 0;
alter table agent_rollouts add column lease_error text not null default '';

-- A rollout reads the nodes that are at work, those that come next and the first failure, however large the fleet is.
create index agent_rollout_nodes_next on agent_rollout_nodes (rollout_id, state, ring, place);
