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
var takes = []agentapi.FrameType{agentapi.FrameHeartbeat, agentapi.FrameMetrics}

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
	default:
		err = fault.Malformed("missing_field", "the call holds nothing")
	}
	return err
}

var callStatuses = map[fault.Kind]int{
	fault.KindMalformed: http.StatusBadRequest, fault.KindUnauthenticated: http.StatusUnauthorized, fault.KindInvalid: http.StatusUnprocessableEntity,
	fault.KindUnavailable: http.StatusServiceUnavailable,
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
