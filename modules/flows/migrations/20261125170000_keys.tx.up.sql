-- Private keys of REALITY that people brought, sealed; drawings name them by their public halves.
create table flow_keys (
    flow_id uuid not null references flows (id) on delete cascade,
    public_key text not null,
    private text not null,
    created_at timestamptz not null,
    primary key (flow_id, public_key)
);
