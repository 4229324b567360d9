package nodes

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/nodes/internal/documents"
	"panel/modules/nodes/internal/evidence"
	"panel/modules/nodes/internal/install"
	"panel/modules/nodes/internal/telemetry"
	"panel/modules/nodes/internal/texts"
	"panel/modules/nodes/internal/work"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/ingest"
)

// agents answers the calls of agents. Which node calls is known from its token alone; no body or path can name another.
// It is link.Panel.
type agents struct {
	db          *database.DB
	evidence    *evidence.Writer
	queue       *work.Queue
	configs     *work.Configs
	commands    *work.Commands
	documents   *documents.Store
	intakes     *ingest.Intakes
	telemetry   *telemetry.Telemetry
	credentials *credentials
	bus         *events.Bus
	stopping    <-chan struct{}
	clock       clockwork.Clock
	heartbeat   int
	address     string
}

func newAgents(
	db *database.DB, w *evidence.Writer, q *work.Queue, c *work.Configs, o *work.Commands, d *documents.Store,
	i *ingest.Intakes, t *telemetry.Telemetry, k *credentials,
	b *events.Bus, s *httpapi.Streams, clock clockwork.Clock, cfg *config.Config,
) *agents {
	return &agents{
		db: db, evidence: w, queue: q, configs: c, commands: o, documents: d, intakes: i, telemetry: t, credentials: k,
		bus: b, stopping: s.Stopping(),
		clock: clock, heartbeat: cfg.Int(config.AgentHeartbeat), address: install.OwnAddress(cfg),
	}
}

// AuthenticateAgent proves an agent token.
func (a *agents) AuthenticateAgent(ctx context.Context, token string) (access.Caller, error) {
	return a.credentials.AuthenticateAgent(ctx, token)
}

// Alive notes a sign of life.
func (a *agents) Alive(nodeID string) { a.evidence.Alive(nodeID) }

// Metrics stores a batch of samples.
func (a *agents) Metrics(ctx context.Context, nodeID string, in *agentapi.MetricsBatch) error {
	return a.telemetry.Take(ctx, nodeID, in)
}

// Result stores how a command ended.
func (a *agents) Result(ctx context.Context, nodeID string, in *agentapi.CommandResult) error {
	return a.commands.Finish(ctx, nodeID, in)
}

// Config opens a configuration of the node.
func (a *agents) Config(ctx context.Context, nodeID string, revision int64) (*agentapi.NodeConfig, error) {
	return a.configs.Read(ctx, nodeID, revision)
}

// Document opens a document of the node.
func (a *agents) Document(ctx context.Context, nodeID string, name agentapi.DocumentName) (*agentapi.Document, error) {
	return a.documents.Read(ctx, nodeID, name)
}

// Batch hands results to the module that reads their kind.
func (a *agents) Batch(ctx context.Context, nodeID string, in *agentapi.Batch) error {
	return a.intakes.Take(ctx, nodeID, in)
}

// shorten clips what lists show of a heartbeat.
func shorten(beat *agentapi.Heartbeat) {
	for _, name := range []*string{
		&beat.AgentVersion, &beat.OS, &beat.Arch, &beat.Hostname, &beat.BootID, &beat.SessionID, &beat.Core.Kind,
		&beat.Core.Version,
		&beat.Core.ConfigHash, &beat.Core.ApplyID, &beat.PanelURL,
	} {
		*name = texts.Clip(*name, texts.NameLimit)
	}
	beat.Core.State = agentapi.CoreState(texts.Clip(string(beat.Core.State), texts.WordLimit))
	beat.Core.Error = texts.Clip(beat.Core.Error, agentapi.MaxTail)
	beat.Documents = beat.Documents[:min(len(beat.Documents), len(agentapi.DocumentNames))]
	for i := range beat.Documents {
		d := &beat.Documents[i]
		d.Name = agentapi.DocumentName(texts.Clip(string(d.Name), texts.WordLimit))
		d.Hash, d.Error = texts.Clip(d.Hash, texts.NameLimit), texts.Clip(d.Error, documentErrorLimit)
	}
}

// documentErrorLimit bounds what an agent says about one document.
const documentErrorLimit = 1 << 10

func nodeOf(ctx context.Context) string { return access.From(ctx).NodeID }

// Agents of these protocol versions are understood.
const oldestProtocol = agentapi.Protocol - 2

func (h *handlers) heartbeat(ctx context.Context, in *heartbeatInput) (*body[agentapi.HeartbeatReply], error) {
	return wrapped(h.agents.Heartbeat(ctx, nodeOf(ctx), &in.Body))
}

// Heartbeat notes a heartbeat and answers with what waits for the agent. Fault: invalid_value (422).
func (a *agents) Heartbeat(ctx context.Context, nodeID string, in *agentapi.Heartbeat) (*agentapi.HeartbeatReply,
	error,
) {
	if in.Protocol < oldestProtocol {
		return nil, fault.InvalidValue("protocol", "this agent is too old for this panel; update it")
	}
	shorten(in)
	a.evidence.Heartbeat(nodeID, in)
	work, err := a.queue.Pending(ctx, nodeID)
	if err != nil {
		return nil, err
	}
	return &agentapi.HeartbeatReply{
		Desired: work.Desired, Documents: work.Documents, Commands: work.Commands, HeartbeatSeconds: a.heartbeat,
		ServerTime: a.clock.Now().UTC(),
		PanelURL:   a.address,
	}, nil
}

// config gives the desired configuration or the asked revision of this node. The revision is the ETag.
func (h *handlers) config(ctx context.Context, in *configInput) (*configOutput, error) {
	nodeID, revision := nodeOf(ctx), in.Revision
	if revision == 0 {
		work, err := h.agents.queue.Pending(ctx, nodeID)
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
	found, err := h.agents.configs.Read(ctx, nodeID, revision)
	if err != nil {
		return nil, err
	}
	return &configOutput{Status: http.StatusOK, ETag: etag, Body: found}, nil
}

// document gives the newest revision of one of this node's documents. The revision is the ETag.
func (h *handlers) document(ctx context.Context, in *documentInput) (*documentOutput, error) {
	found, err := h.agents.documents.Read(ctx, nodeOf(ctx), agentapi.DocumentName(in.Name))
	if err != nil {
		return nil, err
	}
	etag := `"` + strconv.FormatInt(found.Revision, 10) + `"`
	if strings.TrimPrefix(in.IfNoneMatch, "W/") == etag {
		return &documentOutput{Status: http.StatusNotModified, ETag: etag}, nil
	}
	return &documentOutput{Status: http.StatusOK, ETag: etag, Body: found}, nil
}

// configResult keeps how an installation ended that the agent followed by itself.
func (h *handlers) configResult(ctx context.Context, in *configResultInput) (*struct{}, error) {
	a, nodeID, now := h.agents, nodeOf(ctx), h.agents.clock.Now().UTC()
	state := ConfigState{
		Revision: in.Body.Revision, OK: in.Body.OK, Stage: texts.Clip(string(in.Body.Stage), texts.WordLimit),
		Error:      texts.Clip(in.Body.Error, agentapi.MaxTail),
		StderrTail: texts.Clip(in.Body.StderrTail, agentapi.MaxTail), At: now,
	}
	return nil, database.Fault(a.db.InTx(ctx, func(ctx context.Context) error {
		return a.storeResult(ctx, nodeID,
			state)
	}), nil)
}

// storeResult writes how an installation ended and emits a failure with it. The same result again, after a lost answer,
// is no second failure.
func (a *agents) storeResult(ctx context.Context, nodeID string, state ConfigState) error {
	var names []string
	err := a.db.In(ctx).NewRaw(`with written as (
			insert into node_reports as r (node_id, seen_at, config_result) select id, ?0, ?1 from nodes where id = ?2
			on conflict (node_id) do update set config_result = excluded.config_result
				where r.config_result - 'at' is distinct from excluded.config_result - 'at'
			returning node_id
		)
		select n.name from written w join nodes n on n.id = w.node_id`, state.At, state, nodeID).Scan(ctx, &names)
	if err != nil || len(names) == 0 || state.OK {
		return err
	}
	data := nodesapi.Drift{Name: names[0], Revision: state.Revision, Stage: state.Stage}
	return a.bus.Emit(ctx, events.Event{Kind: nodesapi.NodeDrift, SubjectID: nodeID, At: state.At, Data: data})
}

// longestPoll leaves an agent that waits for commands as long as it may time for the answer.
const (
	longestPoll = 30 * time.Second
	readLimit   = 5 * time.Second
)

// commands is the long-poll: it answers at once when commands wait, at the next change, or after the wait.
func (h *handlers) commands(ctx context.Context, in *commandsInput) (*body[agentapi.Pending], error) {
	a, nodeID := h.agents, nodeOf(ctx)
	a.evidence.Alive(nodeID)
	changed, give := a.queue.Wait(nodeID)
	defer give()
	work, err := a.queue.Pending(ctx, nodeID)
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
	defer cancel()
	work, err = a.queue.Pending(ctx, nodeID)
	return wrapped(&work, err)
}

func (h *handlers) commandResult(ctx context.Context, in *commandResultInput) (*struct{}, error) {
	in.Body.ID = in.ID
	return nil, h.agents.commands.Finish(ctx, nodeOf(ctx), &in.Body)
}

// probeResults takes several results in one call; unknown ones among them do not stop the others.
func (h *handlers) probeResults(ctx context.Context, in *probeResultsInput) (*struct{}, error) {
	for i := range in.Body.Results {
		err := h.agents.commands.Finish(ctx, nodeOf(ctx), &in.Body.Results[i])
		if err != nil && !errors.Is(err, work.ErrUnknownCommand) {
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
