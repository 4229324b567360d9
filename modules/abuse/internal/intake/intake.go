// Package intake takes what agents tell of abuse: signals, and from where users are connected. It takes no agent's word
// about users and flows of other nodes, bounds what is said, and stores each batch once.
package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/ingest"
	"panel/platform/limits"
)

// Intake takes batches.
type Intake struct {
	db        *database.DB
	clock     clockwork.Clock
	log       *zap.Logger
	asked     *questions
	pace      *limits.Limiter
	signals   *ingest.Store[[]agentapi.AbuseSignal]
	diversity *ingest.Store[lines]
}

// lines are the users of one window.
type lines struct {
	window agentapi.Window
	users  []agentapi.UserDiversity
}

// New makes the intake of a panel.
func New(
	db *database.DB, flows flowsapi.Flows, clients clientsapi.Clients, clock clockwork.Clock, log *zap.Logger,
) (*Intake, error) {
	pace, err := limits.New()
	if err != nil {
		return nil, err
	}
	return &Intake{
		db: db, clock: clock, log: log, asked: newQuestions(flows, clients), pace: pace,
		signals:   ingest.NewStore(signalKind, db, clock, log),
		diversity: ingest.NewStore(diversityKind, db, clock, log),
	}, nil
}

// Loops are what runs while the panel does.
func (i *Intake) Loops() []func(context.Context) error {
	var loops []func(context.Context) error
	for range ingest.Writers {
		loops = append(loops, i.asked.batches.Run, i.signals.Run, i.diversity.Run)
	}
	return loops
}

// paced names what is counted: the batches of one node to one path.
type paced struct{ path, node string }

// Paced refuses a batch that has no number, and one that comes sooner after another than agents may send them. Faults:
// invalid_value (422), throttled (429).
func (i *Intake) Paced(path, nodeID, streamID string, seq int64) error {
	switch {
	case streamID == "":
		return fault.InvalidValue("stream_id", "must name the stream")
	case seq < 1:
		return fault.InvalidValue("seq", "must be 1 or more")
	}
	every := access.Limit{PerMinute: int(time.Minute / agentapi.AbusePace), Burst: 1}
	if wait := i.pace.Take(limits.Key{Route: paced{path, nodeID}}, every, i.clock.Now()); wait > 0 {
		return fault.Throttled(wait)
	}
	return nil
}

// few refuses a batch that names more than one may. Fault: invalid_value (422).
func few(field string, items int) error {
	if items > agentapi.MostAbuseItems {
		return fault.InvalidValue(field, fmt.Sprintf("at most %d in one batch", agentapi.MostAbuseItems))
	}
	return nil
}

// bounded is few for every list of a batch of diversity.
func bounded(batch *agentapi.DiversityBatch) error {
	err := cmp.Or(few("users", len(batch.Users)), few("coverage", len(batch.Coverage)))
	for at := range batch.Users {
		u, name := &batch.Users[at], "users["+strconv.Itoa(at)+"]."
		err = cmp.Or(err, few(name+"asns", len(u.ASNs)), few(name+"countries", len(u.Countries)),
			few(name+"cities", len(u.Cities)), few(name+"networks", len(u.Networks)))
	}
	return err
}

// Signals stores a batch of signals and returns when it is durable. Those of users and flows that the node does not
// serve are counted and not stored. Faults: invalid_value (422), throttled (429), unavailable (503).
func (i *Intake) Signals(ctx context.Context, nodeID string, batch *agentapi.AbuseBatch) error {
	if err := few("signals", len(batch.Signals)); err != nil {
		return err
	}
	refs := make([]string, len(batch.Signals))
	for at := range batch.Signals {
		refs[at] = batch.Signals[at].UserRef
	}
	own, err := i.asked.of(ctx, nodeID, refs)
	if err != nil {
		return err
	}
	now, kept, refused := i.clock.Now().UTC(), []agentapi.AbuseSignal{}, refusals{}
	for _, s := range batch.Signals {
		switch {
		case !own.users[s.UserRef] || s.FlowID != "" && !own.flows[s.FlowID]:
			refused.foreign++
		case !cleanSignal(&s, now):
			refused.senseless++
		default:
			kept = append(kept, s)
		}
	}
	err = i.signals.Take(ctx, &ingest.Batch[[]agentapi.AbuseSignal]{
		NodeID: nodeID, StreamID: batch.StreamID, Seq: batch.Seq, Dropped: max(0, batch.Dropped), Content: kept,
	})
	if err != nil {
		return err
	}
	return i.note(ctx, nodeID, refused)
}

// Diversity is Signals for a batch of diversity; it also keeps what the agent sees of its listeners.
func (i *Intake) Diversity(ctx context.Context, nodeID string, batch *agentapi.DiversityBatch) error {
	if err := bounded(batch); err != nil {
		return err
	}
	refs := make([]string, len(batch.Users))
	for at := range batch.Users {
		refs[at] = batch.Users[at].UserRef
	}
	own, err := i.asked.of(ctx, nodeID, refs)
	if err != nil {
		return err
	}
	now, refused := i.clock.Now().UTC(), refusals{}
	content := lines{users: []agentapi.UserDiversity{}}
	content.window.From, content.window.To = span(batch.Window.From, batch.Window.To, now)
	for _, u := range batch.Users {
		switch {
		case !own.users[u.UserRef]:
			refused.foreign++
		case !cleanUser(&u, now):
			refused.senseless++
		default:
			content.users = append(content.users, u)
		}
	}
	err = i.diversity.Take(ctx, &ingest.Batch[lines]{
		NodeID: nodeID, StreamID: batch.StreamID, Seq: batch.Seq, Dropped: max(0, batch.Dropped), Content: content,
	})
	if err != nil {
		return err
	}
	return errors.Join(i.cover(ctx, nodeID, now, batch.Coverage), i.note(ctx, nodeID, refused))
}

// refusals count what was not taken of a batch.
type refusals struct{ foreign, senseless int }

// Reasons of what was not taken.
const (
	Foreign   = "foreign"   // of users and flows that the node does not serve
	Senseless = "senseless" // of unknown kinds, or too old
)

// note remembers that something of a batch was not taken. It is for people who look for a lying or a broken agent.
func (i *Intake) note(ctx context.Context, nodeID string, r refusals) error {
	if r.foreign+r.senseless == 0 {
		return nil
	}
	reason := Foreign
	if r.foreign == 0 {
		reason = Senseless
	}
	i.log.Warn("an agent told of users or flows that its node does not serve, or what makes no sense",
		zap.String("node", nodeID), zap.Int("foreign", r.foreign), zap.Int("senseless", r.senseless))
	_, err := i.db.NewRaw(`insert into abuse_refused as r (node_id, items, reason, refused_at)
		values (?0, ?1, ?2, ?3)
		on conflict (node_id) do update set items = r.items + excluded.items, reason = excluded.reason,
			refused_at = excluded.refused_at`, nodeID, r.foreign+r.senseless, reason, i.clock.Now().UTC()).Exec(ctx)
	return unlessGone(err)
}

// cover keeps what the agent sees of its listeners. Listeners of which it says nothing any more are forgotten.
func (i *Intake) cover(ctx context.Context, nodeID string, at time.Time, all []agentapi.Coverage) error {
	all = cleanCoverage(all)
	if len(all) == 0 {
		return nil
	}
	tags, sources, complete := make([]string, len(all)), make([]string, len(all)), make([]bool, len(all))
	for n, one := range all {
		tags[n], sources[n], complete[n] = one.InboundTag, string(one.Source), one.Complete
	}
	err := i.db.InTx(ctx, func(ctx context.Context) error {
		_, err := i.db.In(ctx).NewRaw("delete from abuse_coverage where node_id = ? and at <= ? and not inbound_tag = any(?::text[])",
			nodeID, at, pgdialect.Array(tags)).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = i.db.In(ctx).NewRaw(`insert into abuse_coverage as c (node_id, inbound_tag, source, complete, at)
			select ?0, u.tag, u.source, u.complete, ?4
			from unnest(?1::text[], ?2::text[], ?3::bool[]) u(tag, source, complete) order by u.tag
			on conflict (node_id, inbound_tag) do update set source = excluded.source, complete = excluded.complete,
				at = excluded.at where c.at <= excluded.at`,
			nodeID, pgdialect.Array(tags), pgdialect.Array(sources), pgdialect.Array(complete), at).Exec(ctx)
		return err
	})
	return unlessGone(err)
}

// unlessGone passes by that the node was deleted meanwhile: nothing is kept of it.
func unlessGone(err error) error {
	switch database.Constraint(err) {
	case "abuse_refused_node_id_fkey", "abuse_coverage_node_id_fkey":
		return nil
	}
	return database.Fault(err, nil)
}
