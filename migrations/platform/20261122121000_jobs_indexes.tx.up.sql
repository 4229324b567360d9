-- Each job passed through River's index of fetching three times, and nothing here fetches by it: the backlog of each kind
-- has an index of its own. What waits for a later moment needs one, and is little.
create index job_postponed on jobs.river_job (scheduled_at, priority, id) where state in ('retryable', 'scheduled');
drop index jobs.river_job_prioritized_fetching_index;
