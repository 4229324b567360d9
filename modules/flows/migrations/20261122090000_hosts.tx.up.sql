-- What links name is a part of what is installed: a binding or a node that changes later changes no link.
alter table flows add column installed_hosts jsonb not null default '[]';
alter table flow_applies add column hosts jsonb not null default '[]';

-- Installed versions keep the links that they have now. A panel without the nodes module has nothing installed.
do $$
begin
    if to_regclass('nodes') is not null and to_regclass('node_domains') is not null then
        update flows f set installed_hosts = coalesce((
            select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                'block', b ->> 'key', 'node_id', b ->> 'node_id', 'node_domain_id', nullif(b ->> 'node_domain_id', ''),
                'host', coalesce(d.hostname, n.address, ''))) order by b ->> 'key')
            from flow_versions v
            cross join jsonb_array_elements(v.graph -> 'nodes') b
            left join nodes n on n.id::text = b ->> 'node_id'
            left join node_domains d on d.id::text = b ->> 'node_domain_id' and d.owner_id::text = f.owner_id
            where v.id = f.installed_version_id and b ->> 'kind' = 'entry'), '[]')
        where f.installed_version_id is not null;
    end if;
end $$;

-- What a probe found that no force passes, and the process that holds a port.
alter table flow_checks add column blocker text not null default '';
alter table flow_checks add column holder text not null default '';

-- Drawings of before say by an address or localhost that their target is meant to be where it is.
create function flow_target_allowed(block jsonb, field text) returns jsonb language sql immutable as $$
    select case when regexp_replace(block #>> array['params', field, 'reality', 'target'], ':[0-9]+$', '')
            ~* '^(\[?[0-9a-f]*:[0-9a-f:.]*\]?|[0-9.]+|(.*\.)?localhost)$'
        then jsonb_set(block, array['params', field, 'reality', 'allow_private_target'], 'true')
        else block end
$$;

update flows set graph = jsonb_set(graph, '{nodes}', (
    select jsonb_agg(flow_target_allowed(flow_target_allowed(b, 'listener'), 'hop') order by i)
    from jsonb_array_elements(graph -> 'nodes') with ordinality x (b, i)))
where jsonb_path_exists(graph, '$.nodes[*].params.*.reality.target');

update flow_versions set graph = jsonb_set(graph, '{nodes}', (
    select jsonb_agg(flow_target_allowed(flow_target_allowed(b, 'listener'), 'hop') order by i)
    from jsonb_array_elements(graph -> 'nodes') with ordinality x (b, i)))
where jsonb_path_exists(graph, '$.nodes[*].params.*.reality.target');

drop function flow_target_allowed(jsonb, text);
