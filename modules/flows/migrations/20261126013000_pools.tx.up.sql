create index flows_pools on flows using gin (jsonb_path_query_array(graph, '$.nodes[*].pool_id'));
create index flow_versions_pools on flow_versions using gin (jsonb_path_query_array(graph, '$.nodes[*].pool_id'));
