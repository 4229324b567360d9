package link

import (
	"context"
	"errors"
	"math"
	"net/http"

	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/fault"
	"panel/platform/ingest"
)

// Takes are the calls that an agent may make on its stream, so that it needs no second connection.
var Takes = []agentapi.FrameType{
	agentapi.FrameHeartbeat, agentapi.FrameMetrics, agentapi.FrameResult, agentapi.FrameConfig,
	agentapi.FrameDocument, agentapi.FrameBatch,
}

// answer does what the call's POST route would have done. The token is proved again for each call, from memory as a
// rule, so that a revocation takes effect here as it does there.
func (s *Streams) answer(l *link, frame *agentapi.Frame) {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	reply := &agentapi.Reply{Status: http.StatusOK}
	if err := s.carryOut(ctx, l, frame, reply); err != nil {
		reply = s.refusal(l, err)
	}
	l.reply(agentapi.Frame{Type: agentapi.FrameReply, Call: frame.Call, Reply: reply})
}

func (s *Streams) carryOut(ctx context.Context, l *link, frame *agentapi.Frame, reply *agentapi.Reply) (err error) {
	if _, err := s.panel.AuthenticateAgent(ctx, l.token); err != nil {
		return err
	}
	switch {
	case frame.Heartbeat != nil:
		reply.Heartbeat, err = s.panel.Heartbeat(ctx, l.nodeID, frame.Heartbeat)
	case frame.Metrics != nil:
		if err = s.panel.Metrics(ctx, l.nodeID, frame.Metrics); err == nil {
			reply.Metrics = &agentapi.MetricsReply{AckedSeq: frame.Metrics.Seq}
		}
	case frame.Result != nil:
		err = s.panel.Result(ctx, l.nodeID, frame.Result)
	case frame.Revision > 0:
		reply.Config, err = s.fitting(ctx, l.nodeID, frame.Revision)
	case frame.Document != "":
		reply.Document, err = s.fittingDocument(ctx, l.nodeID, frame.Document)
	case frame.Batch != nil:
		if err = s.panel.Batch(ctx, l.nodeID, frame.Batch); err == nil {
			reply.Batch = &agentapi.BatchReply{AckedSeq: frame.Batch.Seq}
		}
	default:
		err = fault.Malformed("missing_field", "the call holds nothing")
	}
	return err
}

// mostFitting is what a frame can carry with room for the reply around it.
const mostFitting = agentapi.MaxFrame / 2

// fitting gives a configuration that a frame can carry. Faults: not_found (404), body_too_large (413).
func (s *Streams) fitting(ctx context.Context, nodeID string, revision int64) (*agentapi.NodeConfig, error) {
	found, err := s.panel.Config(ctx, nodeID, revision)
	if err == nil && len(found.Core) > mostFitting {
		return nil, fault.TooLarge("this configuration does not fit into a frame; fetch it with a GET")
	}
	return found, err
}

// fittingDocument gives a document that a frame can carry. Faults: not_found (404), body_too_large (413).
func (s *Streams) fittingDocument(ctx context.Context, nodeID string, name agentapi.DocumentName) (*agentapi.Document,
	error,
) {
	found, err := s.panel.Document(ctx, nodeID, name)
	if err == nil && len(found.Content) > mostFitting {
		return nil, fault.TooLarge("this document does not fit into a frame; fetch it with a GET")
	}
	return found, err
}

var callStatuses = map[fault.Kind]int{
	fault.KindMalformed:       http.StatusBadRequest,
	fault.KindUnauthenticated: http.StatusUnauthorized,
	fault.KindMissing:         http.StatusNotFound,
	fault.KindTooLarge:        http.StatusRequestEntityTooLarge,
	fault.KindInvalid:         http.StatusUnprocessableEntity,
	fault.KindThrottled:       http.StatusTooManyRequests,
	fault.KindUnavailable:     http.StatusServiceUnavailable,
}

// refusal is the problem that the POST would have answered. What the agent must not see is in the log.
func (s *Streams) refusal(l *link, err error) *agentapi.Reply {
	refused, known := fault.As(err)
	if !known && errors.Is(err, context.DeadlineExceeded) {
		refused, known = ingest.ErrBusy, true
		err = refused
	}
	status, listed := callStatuses[fault.KindOf(err)]
	if !known || !listed {
		s.log.Error("a call of an agent failed", zap.String("node", l.nodeID), zap.Error(err))
		return &agentapi.Reply{
			Status: http.StatusInternalServerError, Code: "internal",
			Detail: "the panel failed to answer; read its log",
		}
	}
	return &agentapi.Reply{
		Status: status, Code: refused.Code, Detail: refused.Detail,
		RetrySeconds: int(math.Ceil(refused.RetryAfter.Seconds())),
	}
}
