package abuse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/cmd/panel-agent/internal/batches"
	"panel/cmd/panel-agent/internal/buffer"
	"panel/cmd/panel-agent/internal/link"
	"panel/platform/agentapi"
)

// codeBlocked says that the license of the panel has no abuse protection.
const codeBlocked = "license_feature_blocked"

// everything acknowledges all batches that have a number.
const everything = math.MaxInt64

// paced sends batches not sooner after one another than the panel takes them. What is not wanted any more is let go.
func paced(clock clockwork.Clock, wanted func() bool, blocked func(), send batches.Send) batches.Send {
	var one sync.Mutex
	var next time.Time
	return func(ctx context.Context, b buffer.Batch) (int64, error) {
		one.Lock()
		defer one.Unlock()
		if !wanted() {
			return everything, nil
		}
		if wait := next.Sub(clock.Now()); wait > 0 {
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			case <-clock.After(min(wait, agentapi.AbusePace)):
			}
		}
		acked, err := send(ctx, b)
		next = clock.Now().Add(agentapi.AbusePace)
		var status *link.StatusError
		if errors.As(err, &status) && status.Code == codeBlocked {
			blocked()
			return everything, nil
		}
		return acked, err
	}
}

// overLink sends a batch in its form.
func overLink[Batch any](
	call func(context.Context, Batch) (agentapi.BatchReply, error), form func(buffer.Batch) (Batch, error),
) batches.Send {
	return func(ctx context.Context, b buffer.Batch) (int64, error) {
		batch, err := form(b)
		if err != nil {
			return 0, err
		}
		reply, err := call(ctx, batch)
		return reply.AckedSeq, err
	}
}

func signalsOf(b buffer.Batch) (agentapi.AbuseBatch, error) {
	batch := agentapi.AbuseBatch{
		StreamID: b.StreamID, Seq: b.Seq, Dropped: b.Dropped, Signals: make([]agentapi.AbuseSignal, len(b.Items)),
	}
	for i, item := range b.Items {
		s := &batch.Signals[i]
		if err := json.Unmarshal(item, s); err != nil {
			return batch, fmt.Errorf("read a stored signal: %w", err)
		}
		if i == 0 || s.FirstAt.Before(batch.Window.From) {
			batch.Window.From = s.FirstAt
		}
		if s.LastAt.After(batch.Window.To) {
			batch.Window.To = s.LastAt
		}
	}
	return batch, nil
}

// observed is one item of diversity: a user, or what is known of the listeners. A batch is about one window.
type observed struct {
	Window   agentapi.Window         `json:"window"`
	Coverage []agentapi.Coverage     `json:"coverage,omitempty"`
	User     *agentapi.UserDiversity `json:"user,omitempty"`
}

func diversityOf(b buffer.Batch) (agentapi.DiversityBatch, error) {
	batch := agentapi.DiversityBatch{
		StreamID: b.StreamID, Seq: b.Seq, Dropped: b.Dropped, Users: []agentapi.UserDiversity{},
	}
	for _, item := range b.Items {
		var one observed
		if err := json.Unmarshal(item, &one); err != nil {
			return batch, fmt.Errorf("read a stored line of diversity: %w", err)
		}
		batch.Window = one.Window
		batch.Coverage = append(batch.Coverage, one.Coverage...)
		if one.User != nil {
			batch.Users = append(batch.Users, *one.User)
		}
	}
	return batch, nil
}
