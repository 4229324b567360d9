-- One row for each settings document that was stored; a document without a row has its defaults.
create table settings_documents (
	name text primary key,
	revision bigint not null,
	value jsonb not null,
	updated_at timestamptz not null
);

-- The secret fields of the documents, sealed one by one.
create table settings_secrets (
	document text not null references settings_documents (name) on delete cascade,
	field text not null,
	sealed text not null,
	primary key (document, field)
);
