-- What woke a row of a process (platform/lease) while some panel drove it. Whoever drives it releases it for a pause without knowing,
-- if it dies before it has heard; then the next panel that looks finds the row woken here, and takes the line away with it.
-- Nobody updates a line, and each is inserted by itself, so that no two transactions wait for each other.
create table lease_wakes (
	number bigint generated always as identity primary key,
	process text not null, -- name of its table
	id uuid not null
);

create index lease_wakes_of on lease_wakes (process);
