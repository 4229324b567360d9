-- Whoever hosts a server is named by the operator, in any words.
alter table nodes alter column provider_id type text using provider_id::text;
