-- Whoever keeps the connections of clients in memory is told when those of some client may have changed, by whatever
-- statement and whichever panel.
create function flow_links_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('panel', 'subscriptions ');
    return null;
end $$;

create trigger flows_change_subscriptions after update or delete on flows
    for each statement execute function flow_links_changed();
create trigger flow_fragments_change_subscriptions after insert or update or delete on flow_fragments
    for each statement execute function flow_links_changed();
