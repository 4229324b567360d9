-- How often each user was told of for each kind of signal, by the day of UTC: what somebody did in a month is read
-- without looking through all signals. Counted once, by whoever scores users by them.
create table abuse_user_days (
    user_ref text   not null,
    day      date   not null,
    kind     text   not null,
    count    bigint not null,
    primary key (user_ref, day, kind)
) with (fillfactor = 80);

create index abuse_user_days_day on abuse_user_days (day);

insert into abuse_user_days (user_ref, day, kind, count)
select s.user_ref, (s.last_at at time zone 'UTC')::date, s.kind, sum(s.count)
from abuse_signals s, abuse_progress p
where (s.xact, s.user_ref) <= (p.signals_xact, p.signals_ref) and s.last_at > now() - interval '31 days'
group by 1, 2, 3;
