-- The first entry as text, for lists: writing out jsonb costs more than all the rest of a row. The release before this
-- one reads the column entry.
alter table flows add column entry_listed json
    generated always as ((jsonb_path_query_first(graph, '$.nodes[*] ? (@.kind == "entry")'))::text::json) stored;
