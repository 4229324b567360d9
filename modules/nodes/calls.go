package nodes

import (
	"context"
	"errors"
	"math"
	"net/http"

	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/fault"
)

// takes are the calls that an agent may make on its stream, so that it needs no second connection.
var takes = []agentapi.FrameType{agentapi.FrameHeartbeat, agentapi.FrameMetrics, agentapi.FrameResult, agentapi.FrameConfig}

// answer does what the call's POST route would have done. The token is proved again for each call, from memory as a rule,
// so that a revocation takes effect here as it does there.
func (s *streams) answer(l *link, frame *agentapi.Frame) {
	ctx, cancel := context.WithTimeout(context.Background(), writeLimit)
	defer cancel()
	reply := &agentapi.Reply{Status: http.StatusOK}
	if err := s.carryOut(ctx, l, frame, reply); err != nil {
		reply = s.refusal(l, err)
	}
	l.reply(agentapi.Frame{Type: agentapi.FrameReply, Call: frame.Call, Reply: reply})
}

func (s *streams) carryOut(ctx context.Context, l *link, frame *agentapi.Frame, reply *agentapi.Reply) (err error) {
	if _, err := s.credentials.AuthenticateAgent(ctx, l.token); err != nil {
		return err
	}
	switch {
	case frame.Heartbeat != nil:
		reply.Heartbeat, err = s.agents.beat(ctx, l.nodeID, frame.Heartbeat)
	case frame.Metrics != nil:
		if err = s.telemetry.take(ctx, l.nodeID, frame.Metrics); err == nil {
			reply.Metrics = &agentapi.MetricsReply{AckedSeq: frame.Metrics.Seq}
		}
	case frame.Result != nil:
		err = s.agents.commands.finish(ctx, l.nodeID, frame.Result)
	case frame.Revision > 0:
		reply.Config, err = s.fitting(ctx, l.nodeID, frame.Revision)
	default:
		err = fault.Malformed("missing_field", "the call holds nothing")
	}
	return err
}

// fitting gives a configuration that a frame can carry with room for the reply around it. Faults: not_found (404), body_too_large (413).
func (s *streams) fitting(ctx context.Context, nodeID string, revision int64) (*agentapi.NodeConfig, error) {
	const most = agentapi.MaxFrame / 2
	found, err := s.agents.configs.read(ctx, nodeID, revision)
	if err == nil && len(found.Core) > most {
		return nil, fault.TooLarge("this configuration does not fit into a frame; fetch it with a GET")
	}
	return found, err
}

var callStatuses = map[fault.Kind]int{
	fault.KindMalformed: http.StatusBadRequest, fault.KindUnauthenticated: http.StatusUnauthorized, fault.KindInvalid: http.StatusUnprocessableEntity,
	fault.KindMissing: http.StatusNotFound, fault.KindTooLarge: http.StatusRequestEntityTooLarge, fault.KindUnavailable: http.StatusServiceUnavailable,
	fault.KindThrottled: http.StatusTooManyRequests,
}

// refusal is the problem that the POST would have answered. What the agent must not see is in the log.
func (s *streams) refusal(l *link, err error) *agentapi.Reply {
	refused, known := fault.As(err)
	if !known && errors.Is(err, context.DeadlineExceeded) {
		refused, known = errBusy, true
	}
	status, listed := callStatuses[fault.KindOf(err)]
	if !known || !listed {
		s.log.Error("a call of an agent failed", zap.String("node", l.nodeID), zap.Error(err))
		return &agentapi.Reply{Status: http.StatusInternalServerError, Code: "internal", Detail: "the panel failed to answer; read its log"}
	}
	return &agentapi.Reply{
		Status: status, Code: refused.Code, Detail: refused.Detail, RetrySeconds: int(math.Ceil(refused.RetryAfter.Seconds())),
	}
}
