-- Connections of clients change with the clients, with what they have on flows and with who is let in where. Whoever
-- keeps them in memory is told, by whatever statement and whichever panel.
create function client_links_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('panel', 'subscriptions ');
    return null;
end $$;

-- What is done each minute changes nobody most of the time.
create function clients_links_changed() returns trigger language plpgsql as $$
begin
    if exists (select from changed) then
        perform pg_notify('panel', 'subscriptions ');
    end if;
    return null;
end $$;

create trigger client_profiles_change_subscriptions after update on client_profiles
    referencing new table as changed for each statement execute function clients_links_changed();
create trigger client_profiles_end_subscriptions after delete on client_profiles
    for each statement execute function client_links_changed();
create trigger client_flows_change_subscriptions after insert or update or delete on client_flows
    for each statement execute function client_links_changed();
create trigger client_lists_change_subscriptions after update or delete on client_lists
    for each statement execute function client_links_changed();
create trigger client_list_nodes_change_subscriptions after insert or update or delete on client_list_nodes
    for each statement execute function client_links_changed();
create trigger client_listed_change_subscriptions after insert or update or delete on client_listed
    for each statement execute function client_links_changed();
