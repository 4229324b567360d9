-- Connections of clients change with the clients, with what they have on flows and with who is let in where.
create trigger client_profiles_change_subscriptions after update or delete on client_profiles
    for each statement execute function subscriptions_changed();
create trigger client_flows_change_subscriptions after insert or update or delete on client_flows
    for each statement execute function subscriptions_changed();
create trigger client_lists_change_subscriptions after update or delete on client_lists
    for each statement execute function subscriptions_changed();
create trigger client_list_nodes_change_subscriptions after insert or update or delete on client_list_nodes
    for each statement execute function subscriptions_changed();
create trigger client_listed_change_subscriptions after insert or update or delete on client_listed
    for each statement execute function subscriptions_changed();
