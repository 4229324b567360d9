package pgtools

// Wipe empties the database but for what extensions own: a dump knows nothing of tables that a newer panel added.
const Wipe = `do $wipe$
declare statements text[]; statement text;
begin
  select array_agg(s order by rank) into statements from (
    select 1 as rank, format('drop schema %I cascade', n.nspname) as s from pg_namespace n
      where n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'public')
        and not exists (select from pg_depend d where d.classid = 'pg_namespace'::regclass and d.objid = n.oid and d.deptype = 'e')
    union all
    select 2, format('drop %s if exists public.%I cascade', case c.relkind when 'v' then 'view' when 'm' then 'materialized view'
        when 'S' then 'sequence' when 'f' then 'foreign table' when 'c' then 'type' else 'table' end, c.relname) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f', 'c')
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and (d.deptype = 'e' or d.deptype = 'i' and c.relkind = 'S')) -- the sequence of an identity goes with its table
    union all
    select 3, format('drop routine if exists public.%I(%s) cascade', p.proname, pg_get_function_identity_arguments(p.oid)) from pg_proc p
      where p.pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select 4, format('drop type if exists public.%I cascade', t.typname) from pg_type t
      where t.typnamespace = 'public'::regnamespace and t.typtype in ('e', 'd')
        and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
  ) as found;
  foreach statement in array coalesce(statements, array[]::text[]) loop
    execute statement;
  end loop;
end $wipe$;
`
