package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/cmd/panel-bench/internal/load"
	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
)

// Times of a check as the default policy has them, in seconds.
const (
	checkInterval     = 30
	checkTimeout      = 5
	recheckEvery      = 5
	checksUntilDown   = 3
	fewTargets        = 1000
	manyTargets       = 4000
	endingTargets     = 20
	blackHoledPercent = 30

	// settleHealth is when every target was looked at once, and what the start of the panel set off is over.
	settleHealth = (checkInterval + 15) * time.Second
)

// placeChecks gives each node a check that the panel makes, in the place of one that follows from a flow; nothing is
// placed anew while it is measured. Values: the port on which every address of 127.0.0.0/8 answers.
const placeChecks = `
create function stay() returns trigger language plpgsql as 'begin return null; end';
create trigger stay before delete on health_checks for each row execute function stay();
create trigger stay before delete on health_watches for each row execute function stay();
insert into health_checks (id, kind, subject_id, type, target, node_id, watch, failure_threshold, success_threshold,
		interval_s)
	select id, 'node', id, 'tcp', address, id, jsonb_build_object('id', id, 'type', 'tcp', 'address', address,
		'interval_s', %[2]d, 'timeout_s', %[3]d, 'recheck_count', %[5]d, 'recheck_s', %[4]d), %[5]d, 2, %[2]d
	from (select id, '127.1.' || number / 250 || '.' || number %% 250 + 1 || ':%[1]d' as address
		from (select id, row_number() over (order by id) as number from nodes) n) t;
insert into health_watches (check_id, vantage, next_at)
	select id, '00000000-0000-0000-0000-000000000000', now() + random() * interval '%[2]d seconds' from health_checks`

// watchedStand is a panel that looks at one target of each node.
type watchedStand struct {
	*stand
	targets int
}

func (b *bench) watched(ctx context.Context, count, port int) (*watchedStand, error) {
	settings := rig.PanelSettings{Env: []string{"PANEL_OUTBOUND_ALLOW=127.0.0.0/8"}}
	s, err := b.installBareWith(ctx, fmt.Sprintf("watched_%d", count), settings,
		func(ctx context.Context, dsn string) error {
			if _, err := seed.Fleet(ctx, dsn, count); err != nil {
				return err
			}
			place := fmt.Sprintf(placeChecks, port, checkInterval, checkTimeout, recheckEvery, checksUntilDown)
			return errors.Join(execute(ctx, dsn, steady), execute(ctx, dsn, place))
		})
	return &watchedStand{s, count}, err
}

// panelLooks (P13) lets the panel look at 1,000 targets and at 4,000, and ends some of them.
func panelLooks(ctx context.Context, b *bench) ([]measure.Result, error) {
	everywhere, err := openTarget("0.0.0.0:0")
	if err != nil {
		return nil, err
	}
	b.atEnd(everywhere.Close)
	var lags [2]measure.Series
	var costs [2]float64
	var few *watchedStand
	for i, count := range []int{manyTargets, fewTargets} {
		s, err := b.watched(ctx, count, portOf(everywhere))
		if err != nil {
			return nil, err
		}
		if lags[i], costs[i], err = s.lag(ctx); err != nil {
			return nil, err
		}
		if few = s; count == manyTargets {
			if err := s.Panel.Stop(); err != nil {
				return nil, err
			}
		}
	}
	seen, down, err := few.endSome(ctx)
	if err != nil {
		return nil, err
	}
	const seenWithin = checkInterval + checkTimeout + 1
	lateFew, lateMany := lags[1].Quantile(0.99), lags[0].Quantile(0.99)
	return []measure.Result{
		measure.Below("P13", "how late 1,000 targets every 30 s are looked at, p99", "ms", measure.Series{lateFew}, 1000).
			Note("%d looks; processor of the panel %.0f us a look", len(lags[1]), costs[1]),
		measure.Below("P13", "how late 4,000 targets every 30 s are looked at, p99", "ms", measure.Series{lateMany}, 1000).
			Note("%d looks", len(lags[0])),
		measure.AtMost("P13", "processor of the panel a look, 4,000 against 1,000 targets", "us",
			measure.Series{costs[1]}, measure.Series{costs[0]}, 1.15),
		measure.Below("P13", "first failure seen of 20 that end, the slowest", "s", measure.Series{seen}, seenWithin),
		measure.Below("P13", "verdict about 20 that end, the slowest", "s", measure.Series{down},
			seenWithin+checksUntilDown*(recheckEvery+checkTimeout)),
	}, nil
}

// openTarget answers connections and closes them.
func openTarget(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp4", address)
	if err != nil {
		return nil, fmt.Errorf("open a target: %w", err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	return listener, nil
}

func portOf(listener net.Listener) int {
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	n, _ := strconv.Atoi(port) // an address that listens has one
	return n
}

// late gives of each target how long its last look came after its time, in milliseconds. A look that is under way or
// not yet judged still has the time of the one before.
const late = `select 1000 * extract(epoch from w.at - (w.next_at - c.interval_s * interval '1 second'))::float8 - w.latency_ms
	from health_watches w join health_checks c on c.id = w.check_id
	where w.ok and w.failures = 0 and w.next_at > now() + interval '3 seconds'
		and w.at > w.next_at - (c.interval_s + 1) * interval '1 second'`

// lag watches for two intervals how late the looks are, and what each costs the panel's processor in microseconds.
func (s *watchedStand) lag(ctx context.Context) (lags measure.Series, cost float64, err error) {
	if err := pause(ctx, settleHealth); err != nil {
		return nil, 0, err
	}
	before, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return nil, 0, err
	}
	began := time.Now()
	for range 2 * checkInterval / 15 {
		if err := pause(ctx, 15*time.Second); err != nil {
			return nil, 0, err
		}
		some, err := s.numbers(ctx, late)
		if err != nil {
			return nil, 0, err
		}
		lags = append(lags, some...)
	}
	after, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return nil, 0, err
	}
	made, err := s.number(ctx, fmt.Sprintf(
		"select count(*) from health_results where stored_at > now() - interval '%f seconds'", time.Since(began).Seconds()))
	wanted := int64(float64(s.targets) * time.Since(began).Seconds() / checkInterval)
	if err == nil && made < wanted*95/100 {
		err = fmt.Errorf("watch targets: %d looks were made of %d that were due", made, wanted)
	}
	return lags, 1e6 * (after - before) / float64(made), err
}

// numbers asks the database for one number of each row.
func (s *stand) numbers(ctx context.Context, query string) (measure.Series, error) {
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return nil, fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("ask the database of the run: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[float64])
}

// moveSome leads the checks of the first nodes to another port. Values: how many, the port.
const moveSome = `update health_checks c set watch = jsonb_set(c.watch, '{address}',
		to_jsonb(split_part(c.watch ->> 'address', ':', 1) || ':%d'))
	from (select id from health_checks order by id limit %d) m where c.id = m.id`

// endSome ends the targets of some nodes in the same moment, and gives when the panel had seen the last of them, and
// when the last node was down.
func (s *watchedStand) endSome(ctx context.Context) (seen, down float64, err error) {
	ending, err := openTarget("0.0.0.0:0")
	if err != nil {
		return 0, 0, err
	}
	if err := execute(ctx, s.dsn, fmt.Sprintf(moveSome, portOf(ending), endingTargets)); err != nil {
		return 0, 0, err
	}
	if err := pause(ctx, settleHealth); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := ending.Close(); err != nil {
		return 0, 0, fmt.Errorf("end some targets: %w", err)
	}
	const failed = "select count(distinct check_id) from health_results where not ok"
	if seen, err = s.until(ctx, began, failed, endingTargets); err != nil {
		return 0, 0, err
	}
	const nodesDown = "select count(*) from health_states where kind = 'node' and state = 'down'"
	down, err = s.until(ctx, began, nodesDown, endingTargets)
	return seen, down, err
}

// until waits for a count and gives the seconds since the beginning.
func (s *stand) until(ctx context.Context, began time.Time, query string, wanted int64) (float64, error) {
	const longest = 3 * time.Minute
	for time.Since(began) < longest {
		count, err := s.number(ctx, query)
		if err != nil {
			return 0, err
		}
		if count >= wanted {
			return time.Since(began).Seconds(), nil
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return math.Inf(1), nil
}

// blackHole takes no connection: its queue is full, so that whoever dials waits until the own time is over.
type blackHole struct {
	listener net.Listener
	filling  []net.Conn
}

// deadNodePages are what operators look at while nodes are dead.
var deadNodePages = []string{
	"/api/v1/nodes?limit=50", "/api/v1/health/nodes?limit=50", "/api/v1/health/summary", "/api/v1/health/incidents?limit=50",
	"/api/v1/connection-units?limit=50", "/api/v1/audit?limit=50",
}

// deadNodes (P12) lets 30 % of 1,000 nodes swallow every packet, and compares how long a GET takes then.
func deadNodes(ctx context.Context, b *bench) ([]measure.Result, error) {
	everywhere, err := openTarget("0.0.0.0:0")
	if err != nil {
		return nil, err
	}
	b.atEnd(everywhere.Close)
	hole, err := openBlackHole()
	if err != nil {
		return nil, err
	}
	b.atEnd(hole.close)
	s, err := b.watched(ctx, fewTargets, portOf(everywhere))
	if err != nil {
		return nil, err
	}
	var limits, products, lags measure.Series
	for range 2 {
		alive, err := s.lead(ctx, portOf(everywhere), b)
		if err != nil {
			return nil, err
		}
		dead, err := s.lead(ctx, portOf(hole.listener), b)
		if err != nil {
			return nil, err
		}
		limits, products = append(limits, alive...), append(products, dead...)
		late, err := s.numbers(ctx, late)
		if err != nil {
			return nil, err
		}
		lags = append(lags, late...)
	}
	return []measure.Result{
		measure.AtMost("P12", "p99 of a GET while 30 % of 1,000 nodes swallow every packet", "ms", limits, products, 1.2),
		measure.Below("P12", "how late the other targets are looked at, p99", "ms", measure.Series{lags.Quantile(0.99)}, 1000),
	}, nil
}

// lead has the checks of 30 % of the nodes go to a port for a while, and reads how long GETs take then.
func (s *watchedStand) lead(ctx context.Context, port int, b *bench) (took measure.Series, err error) {
	if err := execute(ctx, s.dsn, fmt.Sprintf(moveSome, port, s.targets*blackHoledPercent/100)); err != nil {
		return nil, err
	}
	if err := pause(ctx, settleHealth); err != nil {
		return nil, err
	}
	turn := 0
	for range 4 {
		outcome, err := load.Run(ctx, load.Plan{
			Address: s.address(), Connections: listConnections, For: b.each,
			Request: func(connection int, buffer []byte) []byte {
				turn++
				return s.get(deadNodePages[turn%len(deadNodePages)])(connection, buffer)
			},
		})
		if err != nil {
			return nil, err
		}
		took = append(took, p99(outcome))
	}
	return took, nil
}

// openBlackHole fills the queue of a listener that nobody serves.
func openBlackHole() (*blackHole, error) {
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		return nil, fmt.Errorf("open a black hole: %w", err)
	}
	h := &blackHole{listener: listener}
	const patience = 300 * time.Millisecond
	var mu sync.Mutex
	for full := false; !full; {
		var dials sync.WaitGroup
		for range 256 {
			dials.Go(func() {
				conn, err := net.DialTimeout("tcp4", fmt.Sprintf("127.0.0.1:%d", portOf(listener)), patience)
				mu.Lock()
				defer mu.Unlock()
				if full = full || err != nil; err == nil {
					h.filling = append(h.filling, conn)
				}
			})
		}
		dials.Wait()
	}
	return h, nil
}

func (h *blackHole) close() error {
	for _, conn := range h.filling {
		_ = conn.Close()
	}
	return h.listener.Close()
}
