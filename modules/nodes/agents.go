package nodes

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// agents answers the calls of agents. Which node calls is known from its token alone; no body or path can name another.
type agents struct {
	db        *database.DB
	reports   *reports
	desk      *desk
	configs   *configs
	commands  *commands
	bus       *events.Bus
	stopping  <-chan struct{}
	clock     clockwork.Clock
	heartbeat int
	address   string
}

func newAgents(db *database.DB, r *reports, d *desk, c *configs, o *commands, b *events.Bus, s *httpapi.Streams, clock clockwork.Clock, cfg *config.Config) *agents {
	return &agents{
		db: db, reports: r, desk: d, configs: c, commands: o, bus: b, stopping: s.Stopping(), clock: clock,
		heartbeat: cfg.Int(config.AgentHeartbeat), address: ownAddress(cfg),
	}
}

func nodeOf(ctx context.Context) string { return access.From(ctx).NodeID }

// Agents of these protocol versions are understood.
const oldestProtocol = agentapi.Protocol - 2

func (h *handlers) heartbeat(ctx context.Context, in *heartbeatInput) (*body[agentapi.HeartbeatReply], error) {
	return wrapped(h.agents.beat(ctx, nodeOf(ctx), &in.Body))
}

// beat notes a heartbeat and answers with what waits for the agent. Fault: invalid_value (422).
func (a *agents) beat(ctx context.Context, nodeID string, in *agentapi.Heartbeat) (*agentapi.HeartbeatReply, error) {
	if in.Protocol < oldestProtocol {
		return nil, fault.InvalidValue("protocol", "this agent is too old for this panel; update it")
	}
	shorten(in)
	a.reports.heard(nodeID, in)
	work, err := a.desk.work(ctx, nodeID)
	if err != nil {
		return nil, err
	}
	return &agentapi.HeartbeatReply{
		Desired: work.Desired, Commands: work.Commands, HeartbeatSeconds: a.heartbeat, ServerTime: a.clock.Now().UTC(),
		PanelURL: a.address,
	}, nil
}

// config gives the desired configuration or the asked revision of this node. The revision is the ETag.
func (h *handlers) config(ctx context.Context, in *configInput) (*configOutput, error) {
	nodeID, revision := nodeOf(ctx), in.Revision
	if revision == 0 {
		work, err := h.agents.desk.work(ctx, nodeID)
		if err != nil {
			return nil, err
		}
		if revision = work.DesiredRevision; revision == 0 {
			return nil, fault.Missing("this node shall serve nothing yet")
		}
	}
	etag := `"` + strconv.FormatInt(revision, 10) + `"`
	if strings.TrimPrefix(in.IfNoneMatch, "W/") == etag {
		return &configOutput{Status: http.StatusNotModified, ETag: etag}, nil
	}
	found, err := h.agents.configs.read(ctx, nodeID, revision)
	if err != nil {
		return nil, err
	}
	return &configOutput{Status: http.StatusOK, ETag: etag, Body: found}, nil
}

// configResult keeps how an installation ended that the agent followed by itself.
func (h *handlers) configResult(ctx context.Context, in *configResultInput) (*struct{}, error) {
	a, nodeID, now := h.agents, nodeOf(ctx), h.agents.clock.Now().UTC()
	state := ConfigState{
		Revision: in.Body.Revision, OK: in.Body.OK, Stage: clip(string(in.Body.Stage), wordLimit), Error: clip(in.Body.Error, agentapi.MaxTail),
		StderrTail: clip(in.Body.StderrTail, agentapi.MaxTail), At: now,
	}
	_, err := a.db.NewRaw(`insert into node_reports (node_id, seen_at, config_result) select id, ?, ? from nodes where id = ?
		on conflict (node_id) do update set config_result = excluded.config_result`, now, state, nodeID).Exec(ctx)
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	if !in.Body.OK {
		a.bus.Publish(ctx, events.Event{
			Kind: "node.drift", SubjectType: "node", SubjectID: nodeID, At: now, Permission: View,
			Data: map[string]any{"revision": state.Revision, "stage": state.Stage},
		})
	}
	return nil, nil
}

// longestPoll leaves an agent that waits for commands as long as it may time for the answer.
const longestPoll = 30 * time.Second

// commands is the long-poll: it answers at once when commands wait, at the next change, or after the wait.
func (h *handlers) commands(ctx context.Context, in *commandsInput) (*body[agentapi.Pending], error) {
	a, nodeID := h.agents, nodeOf(ctx)
	a.reports.alive(nodeID)
	changed, give := a.desk.wait(nodeID)
	defer give()
	work, err := a.desk.work(ctx, nodeID)
	if err != nil || len(work.Commands) > 0 || in.Wait == 0 {
		return wrapped(&work, err)
	}
	select {
	case <-changed:
	case <-a.stopping:
	case <-ctx.Done():
	case <-a.clock.After(time.Duration(in.Wait) * time.Second):
		return &body[agentapi.Pending]{work}, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
	defer cancel()
	work, err = a.desk.work(ctx, nodeID)
	return wrapped(&work, err)
}

func (h *handlers) commandResult(ctx context.Context, in *commandResultInput) (*struct{}, error) {
	in.Body.ID = in.ID
	return nil, h.agents.commands.finish(ctx, nodeOf(ctx), &in.Body)
}

// probeResults takes several results in one call; unknown ones among them do not stop the others.
func (h *handlers) probeResults(ctx context.Context, in *probeResultsInput) (*struct{}, error) {
	for i := range in.Body.Results {
		err := h.agents.commands.finish(ctx, nodeOf(ctx), &in.Body.Results[i])
		if err != nil && !errors.Is(err, errUnknownCommand) {
			return nil, err
		}
	}
	return nil, nil
}

func (h *handlers) newAgentToken(ctx context.Context, _ *struct{}) (*secretBody[agentapi.TokenReply], error) {
	token, err := h.enrollment.rotate(ctx, nodeOf(ctx))
	if err != nil {
		return nil, err
	}
	return &secretBody[agentapi.TokenReply]{CacheControl: noStore, Body: *token}, nil
}

func (h *handlers) reflect(ctx context.Context, _ *struct{}) (*body[agentapi.Reflection], error) {
	return &body[agentapi.Reflection]{agentapi.Reflection{IP: access.From(ctx).IP}}, nil
}

func (h *handlers) enroll(ctx context.Context, in *enrollInput) (*body[agentapi.EnrollReply], error) {
	return wrapped(h.enrollment.enroll(ctx, &in.Body))
}
