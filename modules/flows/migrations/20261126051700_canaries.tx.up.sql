-- A canary: nodes of an apply that serve the new version first and are watched. The parts that they served before are
-- kept, sealed, until the apply has ended.
alter table flow_applies
    add column canary      jsonb,
    add column previous    text not null default '',
    add column promoted_by text,
    add column promoted_at timestamptz;
