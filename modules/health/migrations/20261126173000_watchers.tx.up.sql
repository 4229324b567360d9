-- How many agents answer and can look, and how many cannot: counted whenever all reports are read.
alter table health_progress add column able integer not null default 0, add column lacking integer not null default 0;
