package external

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/health/internal/external/checker"
	"panel/platform/database"
)

// The states of a report; the last three are final.
const (
	Queued    = "queued"
	Running   = "running"
	Done      = "done"
	Failed    = "failed"
	Cancelled = "cancelled"
)

// What made a check begin.
const (
	ByHand     = "manual"
	BySchedule = "schedule"
)

// MostReports is how many reports of a flow are told; a rule of the specification.
const MostReports = 100

// Money is an amount in the unit of a service.
type Money struct {
	Amount int64  `json:"amount"`
	Unit   string `json:"unit" enum:"kopek"`
}

// Report is one external check and what it found.
type Report struct {
	ID          string            `json:"id" format:"uuid"`
	Provider    string            `json:"provider"`
	FlowID      string            `json:"flow_id" format:"uuid"`
	NodeID      string            `json:"node_id" format:"uuid"`
	NodeName    string            `json:"node_name"`
	Kind        string            `json:"kind" enum:"probe,scan,vless"`
	Target      string            `json:"target"`
	State       string            `json:"state" enum:"queued,running,done,failed,cancelled" doc:"A cancelled one keeps what was done and paid for"`
	AskedAt     time.Time         `json:"asked_at"`
	CheckedAt   *time.Time        `json:"checked_at" doc:"When it ended; null: it goes on"`
	Passed      int               `json:"passed" doc:"Operators that reached the address"`
	Total       int               `json:"total" doc:"Operators that were asked"`
	Legs        []checker.Leg     `json:"legs"`
	Skipped     []checker.Skipped `json:"skipped"`
	Price       Money             `json:"price" doc:"What was reserved for it at most"`
	Cost        *Money            `json:"cost" doc:"What was paid; null: not known yet"`
	Trigger     string            `json:"trigger" enum:"manual,schedule,self_heal"`
	RequestedBy string            `json:"requested_by"`
	ErrorCode   string            `json:"error_code" doc:"Why it failed, in one word; empty: it did not"`
	Error       string            `json:"error" doc:"The same in the service's words"`
}

// row is a report as the table keeps it.
type row struct {
	bun.BaseModel `bun:"table:health_reports,alias:r"`

	ID            string            `bun:"id,pk,type:uuid"`
	Provider      string            `bun:"provider"`
	FlowID        string            `bun:"flow_id"`
	FlowName      string            `bun:"flow_name"`
	NodeID        string            `bun:"node_id"`
	NodeName      string            `bun:"node_name"`
	Kind          string            `bun:"kind"`
	Target        string            `bun:"target"`
	Content       checker.Order     `bun:"content,type:jsonb"`
	Sealed        string            `bun:"sealed"`
	CallKey       string            `bun:"call_key"`
	Account       []byte            `bun:"account"`
	State         string            `bun:"state"`
	Source        string            `bun:"source"`
	RequestedBy   string            `bun:"requested_by"`
	ScheduleID    *string           `bun:"schedule_id"`
	AskedAt       time.Time         `bun:"asked_at"`
	SentAt        *time.Time        `bun:"sent_at"`
	CheckedAt     *time.Time        `bun:"checked_at"`
	CancelAskedAt *time.Time        `bun:"cancel_asked_at"`
	TouchedAt     time.Time         `bun:"touched_at"`
	Ref           string            `bun:"ref"`
	Price         int64             `bun:"price"`
	Cost          *int64            `bun:"cost"`
	Passed        int               `bun:"passed"`
	Total         int               `bun:"total"`
	Legs          []checker.Leg     `bun:"legs,type:jsonb"`
	Skipped       []checker.Skipped `bun:"skipped,type:jsonb"`
	ErrorCode     string            `bun:"error_code"`
	Error         string            `bun:"error"`
}

func (r *row) open() bool { return r.State == Queued || r.State == Running }

func (r *row) shown() Report {
	shown := Report{
		ID: r.ID, Provider: r.Provider, FlowID: r.FlowID, NodeID: r.NodeID, NodeName: r.NodeName, Kind: r.Kind,
		Target: r.Target, State: r.State, AskedAt: r.AskedAt.UTC(), Passed: r.Passed, Total: r.Total, Legs: r.Legs,
		Skipped: r.Skipped, Price: Money{r.Price, checker.Kopek}, Trigger: r.Source, RequestedBy: r.RequestedBy,
		ErrorCode: r.ErrorCode, Error: r.Error,
	}
	if r.CheckedAt != nil {
		at := r.CheckedAt.UTC()
		shown.CheckedAt = &at
	}
	if r.Cost != nil {
		shown.Cost = &Money{*r.Cost, checker.Kopek}
	}
	if shown.Legs == nil {
		shown.Legs = []checker.Leg{}
	}
	if shown.Skipped == nil {
		shown.Skipped = []checker.Skipped{}
	}
	return shown
}

// Reports gives the newest reports of a flow, at most MostReports. It reads the database and calls nobody.
// Fault: not_found (404).
func (s *Service) Reports(ctx context.Context, flowID string) ([]Report, error) {
	if _, err := s.flow(ctx, flowID); err != nil {
		return nil, err
	}
	var rows []row
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("r.flow_id = ?", flowID).
		OrderExpr("r.asked_at desc, r.id desc").Limit(MostReports).Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read external reports: %w", err), nil)
	}
	reports := make([]Report, len(rows))
	for i := range rows {
		reports[i] = rows[i].shown()
	}
	return reports, nil
}

// report gives one, or not_found.
func (s *Service) report(ctx context.Context, id, lock string) (*row, error) {
	found := new(row)
	q := s.db.In(ctx).NewSelect().Model(found).Where("r.id = ?", id)
	if lock != "" {
		q = q.For(lock)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, database.Fault(err, nil)
	}
	return found, nil
}
