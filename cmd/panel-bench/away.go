package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
)

const (
	awayFleet   = 200
	awayShare   = 10 // one agent of so many is away
	awayFlows   = awayFleet / 2
	awayKept    = awayFlows - awayFlows/awayShare // flows whose agents live
	awayCeiling = 1.2
	refusedIn   = 1000 // ms
	bulkPath    = "/api/v1/connection-units/bulk/apply"
)

// partly is a fleet of which one agent in ten can be frozen, like a server without power: its connections stay open and
// nothing comes. Each flow is on two nodes; the last tenth of them on those that can be frozen.
type partly struct {
	*fleet
	mortal   []seed.Member
	frozen   *rig.Process
	away     bool
	names    map[string]string // of nodes
	drafts   []*draft
	refusals measure.Series // ms
}

// awayAgents measures what agents that are away cost those who apply. An apply that needs one is refused, with its
// name; and in a bulk apply with such flows those of live nodes take as long as alone with all agents alive.
func awayAgents(ctx context.Context, b *bench) ([]measure.Result, error) {
	p, err := b.partlyFrozen(ctx)
	if err != nil {
		return nil, err
	}
	alone := func() (float64, error) { return p.installs(ctx, false, p.drafts[:awayKept]) }
	beside := func() (float64, error) { return p.installs(ctx, true, p.drafts) }
	if _, err := alone(); err != nil { // on empty nodes, which warms up
		return nil, err
	}
	limits, products, err := b.pairs(alone, beside)
	what := fmt.Sprintf("bulk apply of %d flows beside %d whose agents are away", awayKept, awayFlows-awayKept)
	return []measure.Result{
		measure.AtMost("away", what, "ms", limits, products, awayCeiling),
		measure.Below("away", "refusal of an apply whose agents are away, slowest", "ms",
			measure.Series{p.refusals.Quantile(1)}, refusedIn).Note("median %.0f ms of %d", p.refusals.Median(), len(p.refusals)),
	}, err
}

func (b *bench) partlyFrozen(ctx context.Context) (*partly, error) {
	p := &partly{fleet: &fleet{}, names: map[string]string{}}
	var err error
	p.stand, err = b.installBare(ctx, "away", func(ctx context.Context, dsn string) (err error) {
		p.members, err = seed.Fleet(ctx, dsn, awayFleet)
		return err
	})
	if err != nil {
		return nil, err
	}
	const spread = 3 * time.Second
	p.mortal = p.members[2*awayKept:]
	if p.agents, err = b.simulate(ctx, p.stand, "living", p.members[:2*awayKept], spread); err != nil {
		return nil, err
	}
	if p.frozen, err = b.simulate(ctx, p.stand, "mortal", p.mortal, spread); err != nil {
		return nil, err
	}
	if err := p.connected(ctx, spread); err != nil {
		return nil, err
	}
	var nodes struct{ Items []struct{ ID, Name string } }
	if err := p.API.Get(ctx, fmt.Sprintf("/api/v1/nodes?limit=%d", awayFleet), &nodes); err != nil {
		return nil, err
	}
	for _, node := range nodes.Items {
		p.names[node.ID] = node.Name
	}
	return p, p.draw(ctx)
}

func (p *partly) draw(ctx context.Context) error {
	for i := range awayFlows {
		d := &draft{entry: p.members[2*i].NodeID, exit: p.members[2*i+1].NodeID, port: 20_000}
		flow, err := p.API.Draw(ctx, fmt.Sprintf("flow %03d", i), twoHops(d.entry, d.exit, d.port))
		if err != nil {
			return err
		}
		d.id = flow.ID
		if err := p.API.Get(ctx, d.path(), d); err != nil {
			return err
		}
		p.drafts = append(p.drafts, d)
	}
	return nil
}

// installs changes flows and installs them as one operation, with the agents frozen or not; it gives the milliseconds
// until those of live nodes are applied.
func (p *partly) installs(ctx context.Context, away bool, of []*draft) (float64, error) {
	if err := p.freeze(ctx, away); err != nil {
		return 0, err
	}
	items, err := p.planned(ctx, of)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	var begun struct{ ID string }
	if err := p.API.Post(ctx, bulkPath, object{"items": items}, &begun); err != nil {
		return 0, err
	}
	var took time.Duration
	err = rig.Eventually(ctx, 3*time.Minute, func(ctx context.Context) error {
		applied, ended, err := p.stands(ctx, begun.ID, of)
		if applied && took == 0 {
			took = time.Since(began)
		}
		if err == nil && !ended {
			err = errors.Join(errGoesOn, pause(ctx, 20*time.Millisecond))
		}
		return err
	})
	if err == nil && away {
		err = p.refused(ctx, items[awayKept:])
	}
	return milliseconds(took), err
}

var (
	errGoesOn   = errors.New("the bulk apply goes on")
	errNotAsDue = errors.New("an agent is away and the answer is another one than that")
)

// planned saves and compiles every flow. Plans of live nodes are confirmed then.
func (p *partly) planned(ctx context.Context, of []*draft) ([]object, error) {
	items := make([]object, len(of))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for i, d := range of {
		group.Go(func() error {
			d.port++
			body := object{"revision": d.Revision, "graph": twoHops(d.entry, d.exit, d.port)}
			if err := p.API.Put(ctx, d.path(), body, d); err != nil {
				return err
			}
			plan, err := p.compiled(ctx, d, i < awayKept)
			items[i] = object{"flow_id": d.id, "id": plan.ID, "revision": plan.Revision}
			return err
		})
	}
	return items, group.Wait()
}

func (p *partly) compiled(ctx context.Context, d *draft, confirmed bool) (plan rig.Plan, err error) {
	if confirmed {
		return p.API.Compile(ctx, d.id)
	}
	return plan, p.API.Post(ctx, strings.TrimSuffix(d.path(), "/draft")+"/plan/compile", nil, &plan)
}

// stands looks at a bulk apply: whether the flows of live nodes are applied, and whether all of it has ended. Flows of
// agents that are away must be refused by the names of their nodes.
func (p *partly) stands(ctx context.Context, id string, of []*draft) (applied, ended bool, err error) {
	var shown struct {
		Items []struct{ State, Code, Error string }
		Until *time.Time `json:"finished_at"`
	}
	if err := p.API.Get(ctx, bulkPath+"/"+id, &shown); err != nil {
		return false, false, err
	}
	applied = true
	for i, item := range shown.Items {
		switch {
		case i < awayKept && slices.Contains([]string{"failed", "refused", "skipped"}, item.State):
			err = fmt.Errorf("%w: the flow %d was not applied: %s", rig.ErrHopeless, i, item.Error)
		case i < awayKept:
			applied = applied && item.State == "applied"
		case item.State == "refused" && (item.Code != "agent_offline" || !p.called(item.Error, of[i])):
			err = fmt.Errorf("%w: %w: %s: %s", rig.ErrHopeless, errNotAsDue, item.Code, item.Error)
		}
	}
	return applied, shown.Until != nil, err
}

func (p *partly) called(said string, d *draft) bool {
	return strings.Contains(said, p.names[d.entry]) && strings.Contains(said, p.names[d.exit])
}

// refused applies flows one by one whose agents are away, and notes how long each answer takes.
func (p *partly) refused(ctx context.Context, items []object) error {
	for i, item := range items {
		d := p.drafts[awayKept+i]
		began := time.Now()
		err := p.API.Post(ctx, strings.TrimSuffix(d.path(), "/draft")+"/apply", object{
			"id": item["id"], "revision": item["revision"],
		}, nil)
		p.refusals = append(p.refusals, milliseconds(time.Since(began)))
		if !rig.Refused(err, 422) || !strings.Contains(err.Error(), "agent_offline") || !p.called(err.Error(), d) {
			return fmt.Errorf("%w: %w", errNotAsDue, err)
		}
	}
	return nil
}

// freeze takes agents away or brings them back, and waits until the panel goes by that.
func (p *partly) freeze(ctx context.Context, away bool) error {
	if p.away == away {
		return nil
	}
	signal, as := syscall.SIGCONT, "n.seen_at > now() - interval '10 seconds'"
	if away {
		signal, as = syscall.SIGSTOP, "n.seen_at < now() - interval '31 seconds'"
	}
	if err := syscall.Kill(-p.frozen.PID(), signal); err != nil {
		return fmt.Errorf("freeze agents or let them go on: %w", err)
	}
	p.away = away
	ids := make([]string, len(p.mortal))
	for i, m := range p.mortal {
		ids[i] = "'" + m.NodeID + "'"
	}
	query := "select count(*) from node_reports n where n.node_id in (" + strings.Join(ids, ",") + ") and " + as
	return rig.Eventually(ctx, 90*time.Second, func(ctx context.Context) error {
		if err := pause(ctx, herdEvery); err != nil {
			return err
		}
		there, err := p.number(ctx, query)
		if err == nil && there < int64(len(ids)) {
			err = fmt.Errorf("%d agents of %d are as they are to be", there, len(ids))
		}
		return err
	})
}
