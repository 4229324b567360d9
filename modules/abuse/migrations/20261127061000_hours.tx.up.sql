-- How many signals of each kind there were in each hour: counted once, by whoever scores users by them.
create table abuse_hours (
    at      timestamptz not null,
    kind    text        not null,
    signals bigint      not null,
    primary key (at, kind)
) with (fillfactor = 70);

insert into abuse_hours (at, kind, signals)
select date_trunc('hour', s.last_at, 'UTC'), s.kind, count(*)
from abuse_signals s, abuse_progress p
where (s.xact, s.user_ref) <= (p.signals_xact, p.signals_ref) and s.last_at > now() - interval '30 days'
group by 1, 2;
