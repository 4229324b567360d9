-- One row for each Idempotency-Key that an account has used with an operation: reserved before the work, marked with the transaction
-- of the change, answered afterwards. The answer may hold a secret that is shown once, so that it is sealed.
create table idempotency_keys (
	id uuid primary key,
	account_id uuid not null,
	operation text not null,
	key text not null,
	digest bytea not null,
	run uuid not null,
	held_until timestamptz not null,
	committed boolean not null default false,
	status int,
	content_type text not null default '',
	sealed_answer text not null default '',
	created_at timestamptz not null,
	unique (account_id, operation, key)
);

create index idempotency_keys_age on idempotency_keys (created_at);
