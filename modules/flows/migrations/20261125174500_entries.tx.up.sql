-- Lists show the first entry of each drawing: finding it in the drawing anew for each row of each page costs more than
-- the rest of the row.
alter table flows add column entry jsonb
    generated always as (jsonb_path_query_first(graph, '$.nodes[*] ? (@.kind == "entry")')) stored;
