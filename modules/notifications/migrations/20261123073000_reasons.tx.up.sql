-- A reason has a stable code, and what the receiver said by itself; reason stays the English words.
alter table notifications_deliveries add column reason_code text not null default '';
alter table notifications_deliveries add column reason_detail text not null default '';

-- The last delivery of each channel is read with the list of channels.
create index notifications_deliveries_last on notifications_deliveries (channel, created_at desc, id desc);
