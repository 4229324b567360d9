package notifications

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/notifications/internal/message"
	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/keyset"
)

// Delivery is one message on its way to one channel.
type Delivery struct {
	ID          string     `json:"id" format:"uuid"`
	Channel     string     `json:"channel" doc:"messenger, or the id of a channel"`
	ChannelName string     `json:"channel_name"`
	Kind        string     `json:"kind" doc:"Kind of the event"`
	Severity    string     `json:"severity" enum:"info,warning,critical"`
	SubjectType string     `json:"subject_type"`
	SubjectID   string     `json:"subject_id"`
	SubjectName string     `json:"subject_name"`
	Count       int        `json:"count" doc:"Events that the message stands for"`
	State       string     `json:"state" enum:"queued,sending,sent,failed,folded,superseded,cancelled" doc:"folded: it became part of another message; superseded: it was over before it was sent"`
	Reason      *Reason    `json:"reason,omitempty" doc:"Why the last attempt failed, or why nothing was sent; absent: neither"`
	Attempts    int        `json:"attempts"`
	Answers     *string    `json:"answers" format:"uuid" doc:"The delivery whose message this one answers"`
	NotBefore   time.Time  `json:"not_before" doc:"While queued: when it is sent at the earliest"`
	CreatedAt   time.Time  `json:"created_at"`
	FinishedAt  *time.Time `json:"finished_at"`
}

// Reason says why a delivery failed or was not sent.
type Reason struct {
	Code    string `json:"code" doc:"Stable; empty for a delivery of an earlier version, which has words alone"`
	Detail  string `json:"detail" doc:"What the receiver said by itself, such as its status"`
	English string `json:"en"`
	Russian string `json:"ru"`
}

func (r *Reason) in(russian bool) string {
	switch {
	case r == nil:
		return ""
	case russian:
		return r.Russian
	}
	return r.English
}

// States of a delivery.
const (
	stateQueued     = "queued"
	stateSending    = "sending"
	stateSent       = "sent"
	stateFailed     = "failed"
	stateFolded     = "folded"
	stateSuperseded = "superseded"
	stateCancelled  = "cancelled"
)

type deliveryRow struct {
	bun.BaseModel `bun:"table:notifications_deliveries,alias:d"`

	ID           string          `bun:"id,pk,type:uuid"`
	Channel      string          `bun:"channel"`
	ChannelName  string          `bun:"channel_name"`
	Kind         string          `bun:"kind"`
	Severity     string          `bun:"severity"`
	SubjectType  string          `bun:"subject_type"`
	SubjectID    string          `bun:"subject_id"`
	SubjectName  string          `bun:"subject_name"`
	EventID      string          `bun:"event_id"`
	Event        json.RawMessage `bun:"event,type:jsonb"`
	FoldKey      *string         `bun:"fold_key"`
	Count        int             `bun:"count"`
	State        string          `bun:"state"`
	Reason       string          `bun:"reason"` // in English
	ReasonCode   string          `bun:"reason_code"`
	ReasonDetail string          `bun:"reason_detail"`
	Attempts     int             `bun:"attempts"`
	Answers      *string         `bun:"answers,type:uuid"`
	Resolved     bool            `bun:"resolved"`
	ExternalID   string          `bun:"external_id"`
	Claim        string          `bun:"claim"`
	NotBefore    time.Time       `bun:"not_before"`
	ClaimedTill  *time.Time      `bun:"claimed_until"`
	CreatedAt    time.Time       `bun:"created_at"`
	LastEventAt  time.Time       `bun:"last_event_at"`
	FinishedAt   *time.Time      `bun:"finished_at"`
	SortKey      string          `bun:"sort_key,scanonly"`
}

func (r *deliveryRow) shown() Delivery {
	d := Delivery{
		ID: r.ID, Channel: r.Channel, ChannelName: r.ChannelName, Kind: r.Kind, Severity: r.Severity,
		SubjectType: r.SubjectType, SubjectID: r.SubjectID, SubjectName: r.SubjectName, Count: r.Count, State: r.State,
		Reason: r.shownReason(), Attempts: r.Attempts, Answers: r.Answers, NotBefore: r.NotBefore.UTC(),
		CreatedAt: r.CreatedAt.UTC(),
	}
	if r.FinishedAt != nil {
		at := r.FinishedAt.UTC()
		d.FinishedAt = &at
	}
	return d
}

// reasonColumns are those that because changes, beside more.
func reasonColumns(more ...string) []string {
	return append(more, "reason", "reason_code", "reason_detail")
}

// endColumns are those that end changes, beside more.
func endColumns(more ...string) []string {
	return reasonColumns(append(more, "state", "finished_at")...)
}

// because notes a reason, or that there is none any more.
func (r *deliveryRow) because(why message.Reason) {
	r.Reason, r.ReasonCode, r.ReasonDetail = message.English.Reason(why), why.Code, why.Detail
}

// end takes the delivery to its last state.
func (r *deliveryRow) end(state string, why message.Reason, at time.Time) {
	r.because(why)
	r.State, r.FinishedAt = state, &at
}

func (r *deliveryRow) shownReason() *Reason {
	switch {
	case r.Reason == "":
		return nil
	case r.ReasonCode == "":
		return &Reason{English: r.Reason, Russian: r.Reason}
	}
	return shownReason(message.Reason{Code: r.ReasonCode, Detail: r.ReasonDetail})
}

func shownReason(why message.Reason) *Reason {
	return &Reason{
		Code: why.Code, Detail: why.Detail, English: message.English.Reason(why), Russian: message.Russian.Reason(why),
	}
}

// queue is what waits for each channel. Whoever changes it holds the row of the channel's lane.
type queue struct {
	db   *database.DB
	jobs *jobs.Enqueuer
}

func newQueue(db *database.DB, q *jobs.Enqueuer) *queue { return &queue{db, q} }

var deliveryOrders = map[string]keyset.Order{
	"created_at": {Expression: "d.created_at", Kind: httpapi.CursorMoment},
}

func (q *queue) page(ctx context.Context, in deliveriesInput) (page httpapi.Page[Delivery], err error) {
	k, err := keyset.New(in.PageQuery, "d.id", "-created_at", deliveryOrders)
	if err != nil {
		return page, err
	}
	narrow := func(query *bun.SelectQuery) *bun.SelectQuery {
		for column, value := range map[string]string{"channel": in.Channel, "state": in.State, "kind": in.Kind} {
			if value != "" {
				query = query.Where("d.? = ?", bun.Ident(column), value)
			}
		}
		return query
	}
	var rows []deliveryRow
	if err := k.Apply(narrow(q.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("d.*")), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list deliveries: %w", err), nil)
	}
	total, err := narrow(q.db.In(ctx).NewSelect().Model((*deliveryRow)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count deliveries: %w", err), nil)
	}
	last := func(r *deliveryRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*deliveryRow).shown, last), nil
}

func (q *queue) get(ctx context.Context, id string) (row deliveryRow, err error) {
	err = q.db.In(ctx).NewSelect().Model(&row).Where("d.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

type laneRow struct {
	Channel  string     `bun:"channel"`
	Blocked  *time.Time `bun:"blocked_until"`
	Failures int        `bun:"failures"`
}

// lock takes the lane of a channel; there is none where the channel was removed.
func (q *queue) lock(ctx context.Context, channel string) (lane laneRow, there bool, err error) {
	var lanes []laneRow
	err = q.db.In(ctx).NewRaw(`select channel, blocked_until, failures from notifications_lanes where channel = ?
		for no key update`, channel).Scan(ctx, &lanes)
	if err != nil || len(lanes) == 0 {
		return lane, false, database.Fault(err, nil)
	}
	return lanes[0], true, nil
}

func (q *queue) insert(ctx context.Context, row *deliveryRow) error {
	if _, err := q.db.In(ctx).NewInsert().Model(row).Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("queue a delivery: %w", err), nil)
	}
	return nil
}

// update writes columns of a row that the caller has read under the lock of its lane.
func (q *queue) update(ctx context.Context, row *deliveryRow, columns ...string) error {
	if _, err := q.db.In(ctx).NewUpdate().Model(row).Column(columns...).WherePK().Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("change a delivery: %w", err), nil)
	}
	return nil
}

// drainArgs name the channel whose queue is worked off.
type drainArgs struct {
	Channel string `json:"channel"`
	Type    string `json:"type"`
}

// Kind is one for each kind of channel, so that receivers of one kind that do not answer keep no other from its work.
func (a drainArgs) Kind() string { return jobOf(a.Type) }

func jobOf(kind string) string { return "notifications." + kind }

// wake has the queue of a channel worked off at a moment. The caller holds the lane: a run that is about to end sees
// what was queued, and one that has ended keeps no new one out.
func (q *queue) wake(ctx context.Context, channel, kind string, at, now time.Time) error {
	opts := jobs.Opts{Unique: channel}
	if at.After(now) {
		at = at.Truncate(time.Second).Add(time.Second)
		opts = jobs.Opts{Unique: fmt.Sprintf("%s at %d", channel, at.Unix()), At: at}
	}
	return q.jobs.Insert(ctx, drainArgs{Channel: channel, Type: kind}, opts)
}
