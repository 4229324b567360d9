package updates

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/uptrace/bun"

	"panel/modules/nodes/nodesapi"
	"panel/modules/updates/updatesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/release"
)

// service holds the rules of rollouts: who goes when, and what may begin.
type service struct {
	*store
	builds  *builds
	fleet   nodesapi.Fleet
	journal audit.Journal
	bus     *events.Bus
	// wake lets the runner look at a rollout when the transaction of the context has committed.
	wake func(ctx context.Context, id string) error
}

func newService(s *store, b *builds, f nodesapi.Fleet, j audit.Journal, bus *events.Bus) *service {
	return &service{store: s, builds: b, fleet: f, journal: j, bus: bus}
}

var problems = map[string]string{
	noKey:      "this panel knows no key to check releases with; set PANEL_UPDATE_PUBLIC_KEY",
	noManifest: "this panel has no signed release of the agent; put it into the folder of PANEL_AGENT_DIR or set PANEL_UPDATE_URL",
	untrusted:  "the release on this panel is not signed by a key that it trusts",
	noFile:     "the executables of the release are missing on this panel or are not those that were released",
	oldPanel:   "the release needs a newer panel; update the panel first",
}

// wanted gives the build to bring out. Faults: no_agent_build (409), invalid_value (422) when another version was
// meant.
func (s *service) wanted(ctx context.Context, version string) (*build, error) {
	b, problem := s.builds.newest(ctx)
	if b == nil {
		return nil, fault.Conflict("no_agent_build", problems[problem]).With("reason", problem)
	}
	if version != "" && version != b.Version {
		return nil, fault.InvalidValue("version", "is not the version that this panel has now; read it again")
	}
	return b, nil
}

// behind gives the nodes that a rollout of the version has to do with, in the order in which they go: the chosen ones,
// then those that are online, by name. Newer agents are left alone.
func behind(nodes []nodesapi.Node, version string, first []string) []nodesapi.Node {
	list := slices.DeleteFunc(slices.Clone(nodes), func(n nodesapi.Node) bool {
		return n.SeenAt.IsZero() || n.AgentVersion == version || release.Compare(n.AgentVersion, version) > 0
	})
	place := func(n nodesapi.Node) int {
		if at := slices.Index(first, n.ID); at >= 0 {
			return at
		}
		if n.Online {
			return len(first)
		}
		return len(first) + 1
	}
	slices.SortStableFunc(list, func(a, b nodesapi.Node) int { return cmp.Compare(place(a), place(b)) })
	return list
}

// ringOf tells for each place in the order which ring it belongs to. Ring 1 has a number of nodes, each further ring
// reaches to a share of the list; every ring has at least one node as long as there are any.
func ringOf(count int, sizes []int) []int {
	rings := make([]int, count)
	end := 0
	for at, size := range sizes {
		next := size
		if at > 0 {
			next = max(end+1, (count*size+99)/100)
		}
		if at == len(sizes)-1 {
			next = count
		}
		for ; end < min(next, count); end++ {
			rings[end] = at + 1
		}
	}
	return rings
}

// start writes a rollout through the rings down; from here on it is brought to an end, whatever happens to this panel.
// Faults: no_agent_build, rollout_active (409), invalid_value (422).
func (s *service) start(ctx context.Context, through int, version string) (*rolloutRow, error) {
	b, err := s.wanted(ctx, version)
	if err != nil {
		return nil, err
	}
	settings, err := s.rings(ctx, s.db)
	if err != nil {
		return nil, err
	}
	if through > len(settings.Sizes) {
		return nil, fault.Missing(fault.NoSuchThing)
	}
	nodes, err := s.fleet.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	o := s.newRollout(ctx, kindRings, b.Version, through)
	o.PauseSeconds, o.Parallel = settings.PauseSeconds, settings.Parallel
	list := behind(nodes, b.Version, settings.FirstNodes)
	rings := ringOf(len(list), settings.Sizes)
	var targets []targetRow
	for place, n := range list {
		if rings[place] <= through {
			targets = append(targets, s.target(o, n, rings[place], place))
		}
	}
	if len(targets) == 0 {
		return nil, fault.Conflict("nothing_to_update", "no agent is older than the build")
	}
	return o, s.begin(ctx, o, targets, audit.Object{Type: "rollout", ID: o.ID, Name: b.Version})
}

// startNode updates one node, also one whose agent failed with this build a moment ago: a person asks for it.
// Back to an older version it goes only when that is asked for.
// Faults: not_found (404), no_agent_build, older_build, rollout_active (409), agent_offline, invalid_value (422).
func (s *service) startNode(ctx context.Context, id, version string, allowOlder bool) (*rolloutRow, error) {
	n, err := s.fleet.Node(ctx, id)
	if errors.Is(err, nodesapi.ErrUnknown) {
		return nil, fault.Missing(fault.NoSuchThing)
	}
	if err != nil {
		return nil, err
	}
	b, err := s.wanted(ctx, version)
	switch {
	case err != nil:
		return nil, err
	case !n.Online:
		return nil, fault.Invalid("agent_offline",
			"the node's agent is not connected; try again when the node is online")
	case !n.Can(string(agentapi.CanUpdate)):
		return nil, fault.Invalid(
			"agent_too_old",
			"this agent cannot update itself; run the install command on the server again",
		)
	case n.AgentVersion == b.Version:
		return nil, fault.Conflict("nothing_to_update", "the agent has this version already")
	case release.Compare(n.AgentVersion, b.Version) > 0 && !allowOlder:
		return nil, fault.Conflict("older_build",
			"the agent is newer than the build of this panel; send allow_older to go back to it")
	}
	o := s.newRollout(ctx, kindNode, b.Version, 1)
	o.Parallel = 1
	return o, s.begin(ctx, o, []targetRow{s.target(o, n, 1, 0)}, audit.Object{Type: "node", ID: n.ID, Name: n.Name})
}

func (s *service) newRollout(ctx context.Context, kind, version string, through int) *rolloutRow {
	caller, now := access.From(ctx), s.now()
	return &rolloutRow{
		ID: database.NewID(), Kind: kind, Version: version, Through: through, Ring: 1, State: running,
		StartedBy: caller.Username,
		AccountID: caller.AccountID, StartedAt: now,
	}
}

func (s *service) target(o *rolloutRow, n nodesapi.Node, ring, place int) targetRow {
	t := targetRow{
		RolloutID: o.ID, NodeID: n.ID, Name: n.Name, Ring: ring, Place: place, State: waiting, Active: true,
		FromVersion: n.AgentVersion,
	}
	if !n.Can(string(agentapi.CanUpdate)) {
		now := s.now()
		t.State, t.Active, t.EndedAt, t.Stage = skipped, false, &now, "agent_too_old"
		t.Error = "this agent cannot update itself; run the install command on the server again"
	}
	return t
}

func (s *service) begin(ctx context.Context, o *rolloutRow, targets []targetRow, about audit.Object) error {
	err := s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := s.add(ctx, tx, o, targets); err != nil {
			return err
		}
		if err := s.wake(ctx, o.ID); err != nil {
			return err
		}
		err := s.journal.Record(ctx, tx, audit.Entry{
			Action: updatesapi.RolloutStarted, Object: about, Changes: map[string]audit.Change{
				"version": {To: o.Version}, "nodes": {To: len(targets)}, "through_ring": {To: o.Through},
			},
		})
		if err != nil {
			return err
		}
		return s.emitRollout(ctx, updatesapi.RolloutStarted, o)
	})
	return database.Fault(err, constraints)
}

// stop lets no further node begin. Faults: not_found (404), rollout_ended (409).
func (s *service) stop(ctx context.Context, id string) (*rolloutRow, error) {
	o, err := s.rollout(ctx, id)
	if err != nil {
		return nil, err
	}
	err = s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		result, err := tx.NewUpdate().
			Model((*rolloutRow)(nil)).
			Set("stopped_by = ?", cmp.Or(access.From(ctx).Username, "panel")).
			Where("id = ? and finished_at is null and stopped_by = ''", id).
			Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		if n, _ := result.RowsAffected(); n == 0 {
			return fault.Conflict("rollout_ended", "this rollout has ended or is stopping already")
		}
		if err := s.wake(ctx, id); err != nil {
			return err
		}
		err = s.journal.Record(ctx, tx, audit.Entry{
			Action: updatesapi.RolloutStopped, Object: audit.Object{Type: "rollout", ID: id, Name: o.Version},
		})
		if err != nil {
			return err
		}
		return s.emitRollout(ctx, updatesapi.RolloutStopped, o)
	})
	if err != nil {
		return nil, err
	}
	return s.rollout(ctx, id)
}

// progress tells live screens that there is something new to read.
func (s *service) progress(ctx context.Context, o *rolloutRow) error {
	return s.emitRollout(ctx, updatesapi.RolloutProgress, o)
}

func (s *service) emitRollout(ctx context.Context, kind string, o *rolloutRow) error {
	return s.bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: o.ID, At: s.now(),
		Data: updatesapi.Rollout{Version: o.Version, State: o.State, Ring: o.Ring, Detail: o.Detail},
	})
}
