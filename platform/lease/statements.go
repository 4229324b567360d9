package lease

import "strings"

// statements are those of one table; they take their values by number.
type statements struct{ claim, idle, renew, release, hasten, wake string }

// claiming takes the rows that are due, or woken, and that nobody drives. A row whose token is still there was driven
// by a panel that died or stalled. What woke a row goes with its claim, or once the row is not open any more; what
// comes after this statement began to read stays for the next one. Each line of the answer has the seconds until
// another row may become due. Values: keys that are driven here, token, how many, seconds of the lease, reason of a
// death, time of the panel's clock.
const claiming = `with woken as materialized (select distinct id from lease_wakes where process = '{table}'),
due as materialized (
	select {key} as id from {table} where ({open}) and {due} and not {key} = any(?0::uuid[])
	and (lease_until <= now() or lease_token = '' and {key} in (select woken.id from woken))
	order by {order} limit ?2 for no key update skip locked),
taken as (update {table} t set lease_token = ?1, lease_until = now() + make_interval(secs => ?3),
	lease_failures = t.lease_failures + (t.lease_token <> '')::int,
	lease_error = case when t.lease_token = '' then t.lease_error else ?4 end
	from due where t.{key} = due.id returning t.{key} as id, t.lease_failures as failures, t.lease_error as cause),
consumed as (delete from lease_wakes where number = any(array(
	select w.number from lease_wakes w where w.process = '{table}' and (w.id in (select due.id from due)
		or not exists (select from {table} t where t.{key} = w.id and ({open})))
	for update skip locked)))
select taken.id, coalesce(taken.failures, 0) as failures, coalesce(taken.cause, '') as cause, next.pause
from (select coalesce(extract(epoch from min({wait})), 3600)::float8 as pause from {table}
	where ({open}) and {wait} > interval '0') next left join taken on true`

// idling tells whether a claim would find a row before the next look, or a wake. Values: seconds until that look, and
// the time of the panel's clock.
const idling = `exists (select from {table} where ({open}) and {wait} < make_interval(secs => ?0))
	or exists (select from lease_wakes where process = '{table}')`

// panelDied is the reason of a failure that nobody lived to write down.
const panelDied = "the panel that drove it was killed or stalled"

type claimRow struct {
	ID       *string
	Failures int
	Cause    string
	Pause    float64
}

// renewing prolongs leases in one statement and gives the token of each row as it is. It passes over rows that a step
// has locked at the moment. A claim that is steady has no failures behind it any more.
// Values: keys, tokens, which claims are steady, seconds of the lease.
const renewing = `with mine as (
	select t.{key} as id, c.steady from {table} t
	join unnest(?0::uuid[], ?1::text[], ?2::boolean[]) c(id, token, steady) on t.{key} = c.id and t.lease_token = c.token
	for no key update of t skip locked),
renewed as (update {table} t set lease_until = now() + make_interval(secs => ?3),
	lease_failures = case when mine.steady then 0 else t.lease_failures end,
	lease_error = case when mine.steady then '' else t.lease_error end
	from mine where t.{key} = mine.id)
select {key} as id, lease_token as token from {table} where {key} = any(?0::uuid[])`

// releasing ends a claim; the row is due again after a pause.
// Values: key, token, seconds of the pause, failures in a row, the last of them.
const releasing = `update {table} set lease_token = '', lease_until = now() + make_interval(secs => ?2),
	lease_failures = ?3, lease_error = ?4 where {key} = ?0 and lease_token = ?1`

// hastening makes rows due that wait for the end of a pause. Value: keys.
const hastening = `update {table} set lease_until = now()
	where {key} = any(?0::uuid[]) and lease_token = '' and lease_until > now()`

// waking does the same, and notes it for a row that somebody drives. Value: keys.
const waking = `with noted as (insert into lease_wakes (process, id) select '{table}', unnest(?0::uuid[]))
` + hastening

func (t Table) statements() statements {
	open, due, wait := t.Open, "true", "lease_until - now()"
	if t.Due != "" {
		open += " and " + t.Due + " is not null"
		due = t.Due + " <= ?5"
		wait = "greatest(lease_until - now(), " + t.Due + " - ?5::timestamptz)"
	}
	fill := strings.NewReplacer(
		"{table}", t.Name, "{key}", t.Key, "{open}", open, "{order}", t.Order, "{due}", due, "{wait}", wait)
	return statements{
		idle:  strings.ReplaceAll(fill.Replace(idling), "?5", "{now}"),
		claim: fill.Replace(claiming), renew: fill.Replace(renewing),
		release: fill.Replace(releasing), hasten: fill.Replace(hastening), wake: fill.Replace(waking),
	}
}
