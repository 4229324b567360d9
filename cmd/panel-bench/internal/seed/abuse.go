package seed

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"panel/platform/agentapi"
)

// Everywhere has a flow count as installed on all nodes, so that each may tell of its clients.
const Everywhere = `insert into flow_fragments (flow_id, node_id, content, hash, client_ids, listens)
	select f.id, n.id::text, '', '', '{}', '[]' from flows f, nodes n on conflict do nothing`

// Sharers are users of whom agents told from where they were connected in the last five minutes, the first of a
// hundred from four countries at once. Users of an earlier call are told of again.
const Sharers = `insert into abuse_diversity (node_id, xact, user_ref, from_at, to_at, ips, sources, mobile_share,
		max_concurrent, first_at, last_at, lists)
	select (select id from nodes limit 1), pg_current_xact_id()::text::bigint,
		'c:' || lpad(to_hex(u), 8, '0') || '-0000-7000-8000-000000000001', now() - interval '5 minutes', now(), 3, 2, 0, 2,
		now() - interval '4 minutes', now(), case when u % 100 = 0 then $2::jsonb else $3::jsonb end
	from generate_series(1, $1::int) u`

// SharerLists are what Sharers tells of those who share, and of everybody else.
func SharerLists(at time.Time) (shared, alone string) {
	network := func(asn int, country string) string {
		return fmt.Sprintf(`{"asn": %d, "name": "Network %[1]d", "kind": "home", "country": %[2]q, "city": "City",
			"prefixes": ["aa%[1]d"], "first_at": %[3]q, "last_at": %[4]q}`, asn, country,
			at.Add(-4*time.Minute).Format(time.RFC3339), at.Format(time.RFC3339))
	}
	lists := func(countries, networks string) string {
		return `{"countries": [` + countries + `], "networks": [` + networks + `]}`
	}
	home := network(64500, "DE")
	return lists(`"DE", "PL", "FI", "SE"`, home+","+network(64501, "PL")+","+network(64502, "FI")+","+network(64503, "SE")),
		lists(`"DE"`, home+","+network(64501, "DE"))
}

// Month are signals of 30 days, of the clients of a flow, told by all nodes in turn.
const Month = `insert into abuse_signals (id, node_id, xact, kind, user_ref, flow_id, inbound_tag, source_hash, source_asn,
		source_country, dest_host, dest_ip, dest_port, dest_asn, count, first_at, last_at, detected_by, confidence,
		evidence, blocked, stored_at)
	select gen_random_uuid(), nodes.ids[1 + n % cardinality(nodes.ids)], 1,
		(array['torrent', 'port_scan', 'smtp_spam', 'brute_force', 'high_rate'])[1 + n % 5],
		'c:' || clients.ids[1 + n % cardinality(clients.ids)], $2::uuid, 'in-443', md5(n::text), 64500, 'DE', '',
		'198.51.' || n % 100 || '.' || n % 250, (array[6881, 22, 25, 3389, 0])[1 + n % 5], 0, 1 + n % 90,
		at - interval '1 minute', at, 'netflow', 0.8, 'connections to many addresses within a minute', false, at
	from (select array_agg(id) as ids from nodes) nodes, (select array_agg(id) as ids from client_profiles) clients,
		generate_series(0, $1::int - 1) n,
		lateral (select now() - n * (interval '30 days' / $1::int) as at) moments`

// MonthCounted has the panel take the signals of Month as counted.
const MonthCounted = `insert into abuse_user_days (user_ref, day, kind, count)
		select user_ref, (last_at at time zone 'UTC')::date, kind, sum(count) from abuse_signals group by 1, 2, 3;
	analyze abuse_user_days`

// Ahead has no signal of Month be scored: what it costs to score is measured by itself.
const Ahead = "update abuse_progress set signals_xact = 1, signals_ref = '~'"

// MonthPartitions make room for Month, as the weeks that went by would have.
const MonthPartitions = `select abuse_partition('abuse_signals', week, week + interval '7 days')
	from generate_series(date_trunc('week', now() at time zone 'UTC') at time zone 'UTC' - interval '35 days',
		date_trunc('week', now() at time zone 'UTC') at time zone 'UTC' - interval '7 days', interval '7 days') week`

// Texts gives the texts of one column.
func Texts(ctx context.Context, dsn, query string) (all []string, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("ask the database of the run: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// SignalColumns are those that SignalRows fills.
const SignalColumns = `id, node_id, xact, kind, user_ref, flow_id, inbound_tag, source_ip, source_hash, source_asn,
	source_country, dest_host, dest_ip, dest_port, dest_asn, count, first_at, last_at, detected_by, confidence, evidence,
	blocked, unblock_at`

// SignalRows are signals as COPY takes them in its binary form, as the panel writes them.
func SignalRows(signals []agentapi.AbuseSignal) []byte {
	w := &rows{}
	w.WriteString("PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	node := uuid.New()
	for _, s := range signals {
		id, flow := uuid.New(), uuid.MustParse(s.FlowID)
		w.Write([]byte{0, 23})
		w.field(id[:])
		w.field(node[:])
		w.number(4711)
		w.text(string(s.Kind), s.UserRef)
		w.field(flow[:])
		w.text(s.InboundTag)
		w.nothing()
		w.text(s.Source.PrefixHash)
		w.number(uint64(s.Source.ASN))
		w.text(s.Source.Country, s.Dest.Host, s.Dest.IP)
		w.number(uint64(s.Dest.Port))
		w.number(0)
		w.number(uint64(s.Count))
		w.moment(s.FirstAt)
		w.moment(s.LastAt)
		w.text(string(s.DetectedBy))
		w.number(math.Float64bits(s.Confidence))
		w.text(s.Evidence)
		w.field([]byte{0})
		w.nothing()
	}
	w.Write([]byte{0xff, 0xff})
	return w.Bytes()
}

// rows are written in the binary form of COPY.
type rows struct{ bytes.Buffer }

func (w *rows) field(value []byte) {
	var size [4]byte
	binary.BigEndian.PutUint32(size[:], uint32(len(value))) //nolint:gosec // fields are short
	w.Write(size[:])
	w.Write(value)
}

func (w *rows) nothing() { w.Write([]byte{0xff, 0xff, 0xff, 0xff}) }

func (w *rows) text(values ...string) {
	for _, one := range values {
		w.field([]byte(one))
	}
}

func (w *rows) number(value uint64) {
	var text [8]byte
	binary.BigEndian.PutUint64(text[:], value)
	w.field(text[:])
}

func (w *rows) moment(at time.Time) {
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	w.number(uint64(at.Sub(epoch).Microseconds())) //nolint:gosec // after the year 2000
}
