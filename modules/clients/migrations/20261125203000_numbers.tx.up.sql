-- Where a protocol knows clients by addresses, each of them has one of its own, made from this number.
alter table client_flows add column number bigint generated always as identity;
-- Agents are told the numbers of all clients that they hold.
update client_lists set digest = '', open = true, changes = changes + 1;
