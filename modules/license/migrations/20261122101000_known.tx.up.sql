-- The newest signed word about each license that this installation has ever had: an older document never comes back.
alter table licenses add column known jsonb not null default '{}';
