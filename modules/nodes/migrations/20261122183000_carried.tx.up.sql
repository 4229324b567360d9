-- What the listeners and outbounds of the core carried between the last two samples; null where the agent does not measure them.
alter table node_reports add column carried jsonb;
