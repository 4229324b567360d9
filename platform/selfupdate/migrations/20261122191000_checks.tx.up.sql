-- What the last check for a newer release found; one line for all panels on the database.
create table release_checks (
	singleton boolean primary key default true check (singleton),
	checked_at timestamptz not null,
	problem text not null default '', -- why it failed; empty when it did not
	manifest jsonb                    -- of the newest release that was read and trusted; null: none yet
);
