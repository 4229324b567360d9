-- Who follows the answer of a model first has it made.
alter table assistant_questions add column claimed boolean not null default false;
