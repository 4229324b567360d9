-- Clients are a module of their own, which has taken over these rows.
drop table flow_clients;
