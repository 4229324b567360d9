-- Transit pools that have got the new node of a replacement in the place of the old one.
alter table hosting_replacements add column pools jsonb not null default '[]';
alter table hosting_replacements add column pooled_at timestamptz; -- when they got it, or somebody went on
alter table hosting_replacements add column asked_at timestamptz; -- when their flows were to be installed anew, last
