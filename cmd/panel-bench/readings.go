package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"panel/cmd/panel-bench/internal/beside"
	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/standin"
	"panel/e2e/rig"
)

const (
	syncedMost      = 100_000
	syncMemory      = 64 // MB more than before
	syncGetCeiling  = 1.2
	syncCPUSlope    = 1.15
	syncPerSecond   = 5
	syncWithin      = 3 * time.Minute
	syncGetEvery    = 20 * time.Millisecond
	syncGetReadings = 8
)

// syncedUsers reads the users of a proxy panel, a stand-in, at 25,000, 50,000 and 100,000 of them: what the panel takes
// more meanwhile, how its own lists answer, what a second reading writes, and how often the proxy panel is asked.
func syncedUsers(ctx context.Context, b *bench) ([]measure.Result, error) {
	processor, memory := map[float64]float64{}, measure.Series{}
	var results []measure.Result
	for _, users := range []int{syncedMost / 4, syncedMost / 2, syncedMost} {
		one, err := b.syncs(ctx, users)
		if err != nil {
			return results, err
		}
		processor[float64(users)] = one.processor
		memory = append(memory, one.memory)
		if users < syncedMost {
			continue
		}
		results = append(results,
			measure.AtMost("users", "p95 of a list while 100,000 users are read, against not", "ms", one.quiet, one.busy,
				syncGetCeiling).Note("read in %.1f s, again in %.1f s", one.first.Seconds(), one.second.Seconds()),
			measure.Below("users", "rows that the second reading writes", "rows", measure.Series{one.written}, 0),
			measure.Below("users", "requests to the proxy panel, most in five seconds", "/s",
				measure.Series{one.asked}, syncPerSecond+1.0/syncPerSecond))
	}
	more := measure.Below("users", "memory more than before while 100,000 users are read (VmRSS)", "MB", memory[2:], syncMemory)
	return append(results, more.Note("25,000: %.1f MB, 50,000: %.1f MB", memory[0], memory[1]),
		measure.Below("users", "slope of processor time, 25,000 to 100,000 users", "", measure.Series{beside.Slope(processor)},
			syncCPUSlope)), nil
}

// synced is what it takes to read the users of a proxy panel.
type synced struct {
	processor, memory, written, asked float64
	first, second                     time.Duration
	quiet, busy                       measure.Series // p95 of GETs in milliseconds, per reading
}

func (b *bench) syncs(ctx context.Context, users int) (out synced, err error) {
	s, err := b.installBareWith(ctx, fmt.Sprintf("users_%d", users), rig.PanelSettings{
		Env: []string{"PANEL_OUTBOUND_ALLOW=127.0.0.1"},
	}, nil)
	if err != nil {
		return out, err
	}
	there := standin.Open()
	b.atEnd(func() error { there.Close(); return nil })
	there.AddUsers(users)
	var connection struct{ ID string }
	err = s.API.Post(ctx, "/api/v1/proxypanel/connections", object{
		"label": "main", "base_url": there.URL, "token": there.Token(24*time.Hour, "*"),
	}, &connection)
	if err != nil {
		return out, err
	}
	path := "/api/v1/proxypanel/connections/" + connection.ID
	list := path + "/users?limit=100"
	if _, err := s.gets(ctx, list, b.each); err != nil { // warm
		return out, err
	}
	before, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return out, err
	}
	watch := s.watchMemory(ctx)
	if out.first, err = s.sync(ctx, path); err != nil {
		return out, err
	}
	out.memory = watch()
	after, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return out, err
	}
	out.processor = after - before
	return out, s.again(ctx, b, there, path, list, &out)
}

// again reads the users a second time, of whom none has changed, while lists are asked for, and then asks for lists
// alone.
func (s *stand) again(
	ctx context.Context, b *bench, there *standin.Panel, path, list string, out *synced,
) (err error) {
	const flushed = 12 * time.Second // who does nothing tells the statistics of the database after ten
	if err := pause(ctx, flushed); err != nil {
		return err
	}
	written, err := s.number(ctx, writtenOfUsers)
	if err != nil {
		return err
	}
	if err := s.quietly(ctx, b, list, out); err != nil {
		return err
	}
	began := time.Now()
	over := make(chan error, 1)
	go func() {
		var err error
		out.second, err = s.sync(ctx, path)
		over <- err
	}()
	for done := false; !done; {
		p95, err := s.gets(ctx, list, 2*b.each)
		if err != nil {
			return err
		}
		select {
		case err := <-over:
			if err != nil {
				return err
			}
			done = true // the last reading was half without
		default:
			out.busy = append(out.busy, p95)
		}
	}
	const span = 5 * time.Second
	out.asked = float64(there.MostWithin(span, began)) / span.Seconds()
	if err := s.quietly(ctx, b, list, out); err != nil {
		return err
	}
	number := min(len(out.quiet), len(out.busy))
	out.quiet, out.busy = out.quiet[len(out.quiet)-number:], out.busy[:number]
	if err := pause(ctx, flushed); err != nil {
		return err
	}
	now, err := s.number(ctx, writtenOfUsers)
	out.written = float64(now - written)
	return err
}

// quietly asks for lists alone.
func (s *stand) quietly(ctx context.Context, b *bench, list string, out *synced) error {
	for range syncGetReadings / 2 {
		p95, err := s.gets(ctx, list, 2*b.each)
		if err != nil {
			return err
		}
		out.quiet = append(out.quiet, p95)
	}
	return nil
}

// writtenOfUsers counts rows that were ever written of users.
const writtenOfUsers = `select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint from pg_stat_user_tables
	where relname = 'proxypanel_users'`

var errSyncing = errors.New("the users are being read")

// sync reads all users and gives how long that took.
func (s *stand) sync(ctx context.Context, path string) (took time.Duration, err error) {
	began := time.Now()
	var operation struct {
		ID string `json:"operation_id"`
	}
	err = rig.Eventually(ctx, syncWithin, func(ctx context.Context) error { // one of the schedule may run
		return s.API.Post(ctx, path+"/sync", nil, &operation)
	})
	if err != nil {
		return 0, err
	}
	err = rig.Eventually(ctx, syncWithin, func(ctx context.Context) error {
		var now struct{ State, Error string }
		err := s.API.Get(ctx, "/api/v1/operations/"+operation.ID, &now)
		switch {
		case err != nil:
			return err
		case now.State == "failed":
			return fmt.Errorf("reading the users failed: %s", now.Error)
		case now.State != "succeeded":
			return errSyncing
		}
		return nil
	})
	return time.Since(began), err
}

// gets asks for a list at an even pace and gives the p95 of the answers in milliseconds.
func (s *stand) gets(ctx context.Context, list string, length time.Duration) (float64, error) {
	var took measure.Series
	pace := time.NewTicker(syncGetEvery)
	defer pace.Stop()
	for end := time.Now().Add(length); time.Now().Before(end); {
		began := time.Now()
		var page struct{}
		if err := s.API.Get(ctx, list, &page); err != nil {
			return 0, err
		}
		took = append(took, milliseconds(time.Since(began)))
		<-pace.C
	}
	return took.Quantile(0.95), nil
}

// watchMemory gives, once it is called, how many megabytes the panel had more at its most.
func (s *stand) watchMemory(ctx context.Context) (most func() float64) {
	const every = 100 * time.Millisecond
	before, _ := resident(s.Panel.PID())
	highest := before
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for pause(ctx, every) == nil {
			if now, err := resident(s.Panel.PID()); err == nil {
				highest = max(highest, now)
			}
		}
	})
	return func() float64 {
		stop()
		watching.Wait()
		return highest - before
	}
}

const (
	cloudMachines  = 2_000
	cloudShare     = 5 // per cent of a core
	cloudLookEvery = 500 * time.Millisecond
)

// hostingSync reads the machines of an account at a hosting provider, at the pace that this one asks for: what the
// panel takes of a core meanwhile, more than at rest. The provider is a stand-in in this process.
func hostingSync(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := b.installBareWith(ctx, "machines", rig.PanelSettings{
		Env: []string{"PANEL_OUTBOUND_ALLOW=127.0.0.1"},
	}, nil)
	if err != nil {
		return nil, err
	}
	there := standin.OpenCloud(cloudMachines)
	b.atEnd(func() error { there.Close(); return nil })
	var account struct{ ID string }
	err = s.API.Post(ctx, "/api/v1/cloud-providers", object{
		"kind": "hetzner", "label": "main", "base_url": there.URL, "credentials": object{"api_token": there.Token},
	}, &account)
	if err != nil {
		return nil, err
	}
	path := "/api/v1/cloud-providers/" + account.ID
	var rest, shares measure.Series
	for range (b.settings.pairs + 3) / 4 {
		quiet, err := s.share(ctx, func() error { return s.atRest(ctx, path) })
		if err != nil {
			return nil, err
		}
		busy, err := s.share(ctx, func() error { return s.readMachines(ctx, path) })
		if err != nil {
			return nil, err
		}
		rest, shares = append(rest, quiet), append(shares, busy-quiet)
	}
	reads := measure.Below("hosting", "processor for reading 2,000 machines, of one core", "%", shares, cloudShare)
	return []measure.Result{reads.Note("at rest %.1f %%", rest.Quantile(0.5))}, nil
}

// share is the per cent of a core that the panel takes while something goes on.
func (s *stand) share(ctx context.Context, something func() error) (float64, error) {
	const percent = 100
	before, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := something(); err != nil {
		return 0, err
	}
	after, err := processorSeconds(s.Panel.PID())
	return percent * (after - before) / time.Since(began).Seconds(), err
}

// atRest asks for the account as often as one does who follows a reading, for about as long.
func (s *stand) atRest(ctx context.Context, path string) error {
	const looks = 20
	for range looks {
		if err := errors.Join(pause(ctx, cloudLookEvery), s.API.Get(ctx, path, nil)); err != nil {
			return err
		}
	}
	return nil
}

// readMachines reads the account once, and follows that to its end.
func (s *stand) readMachines(ctx context.Context, path string) error {
	var operation struct {
		ID string `json:"operation_id"`
	}
	if err := s.API.Post(ctx, path+"/sync", nil, &operation); err != nil {
		return err
	}
	var now struct{ State, Error string }
	for now.State != "succeeded" {
		err := errors.Join(pause(ctx, cloudLookEvery), s.API.Get(ctx, "/api/v1/operations/"+operation.ID, &now))
		if err == nil && now.State == "failed" {
			err = fmt.Errorf("reading the machines failed: %s", now.Error)
		}
		if err != nil {
			return err
		}
	}
	var page struct{ Total int }
	err := s.API.Get(ctx, path+"/servers?limit=1", &page)
	if err == nil && page.Total != cloudMachines {
		err = fmt.Errorf("%d machines of %d were read", page.Total, cloudMachines)
	}
	return err
}
