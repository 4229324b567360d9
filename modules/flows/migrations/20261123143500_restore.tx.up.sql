-- A node gets its part of the installed version again.
alter table flow_applies drop constraint flow_applies_kind_check,
    add constraint flow_applies_kind_check
        check (kind in ('apply', 'enable', 'rerender', 'restore', 'disable', 'delete'));
