package external

import (
	"context"
	"errors"
	"fmt"
	"time"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/external/checker"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/operations"
	"panel/platform/vault"
)

var (
	errNoKey = fault.Invalid("checker_not_configured",
		"external checks have no key yet; an administrator sets it in the settings")
	errActive = fault.Conflict("check_active", "a check of this address is under way; its report comes with it")
	errSoon   = fault.Conflict("check_too_soon", "this address was checked a moment ago; wait for the shortest interval")
)

var constraints = map[string]*fault.Fault{"health_reports_active": errActive}

// Preview is what a check would cost, asked of the service for nothing.
type Preview struct {
	Kind       string `json:"kind" enum:"probe,scan,vless"`
	NodeID     string `json:"node_id" format:"uuid"`
	NodeName   string `json:"node_name"`
	Target     string `json:"target"`
	Price      Money  `json:"price"`
	AfterStart bool   `json:"price_after_start" doc:"The service names the price when the check waits in its queue; above max_price it is ended there for nothing"`
	Operators  int    `json:"operators" doc:"How many would be asked; 0: the service does not say"`
	Budget     Budget `json:"budget"`
	Refused    string `json:"refused" enum:",cost_limit_reached,check_active,check_too_soon" doc:"Why it cannot begin now; empty: it can"`
}

// Preview asks what a check of a flow would cost. It starts nothing.
// Faults: not_found (404), invalid_value, checker_not_configured (422), checker_error (502), checker_timeout (504).
func (s *Service) Preview(ctx context.Context, flowID string, asked Asked) (p Preview, err error) {
	set, _, err := s.settings.Get(ctx)
	if err != nil {
		return p, err
	}
	flow, err := s.flow(ctx, flowID)
	if err != nil {
		return p, err
	}
	if !set.APIKey.Set() {
		return p, errNoKey
	}
	a, err := s.aimed(ctx, &flow, asked)
	if err != nil {
		return p, err
	}
	price, err := s.price(ctx, set.access(), a.order)
	if err != nil {
		return p, s.upstream(ctx, err)
	}
	p = Preview{
		Kind: a.order.Kind, NodeID: a.nodeID, NodeName: a.nodeName, Target: a.order.Target,
		Price: Money{price.Amount, checker.Kopek}, AfterStart: price.AfterStart, Operators: price.Units,
	}
	if p.Budget, err = s.budget(ctx, set); err != nil {
		return p, err
	}
	refused := s.free(ctx, flowID, a.order.Target, set)
	if refused == nil && p.Budget.exceeded(price.Amount) != "" {
		refused = errLimit
	}
	if known, is := fault.As(refused); is {
		p.Refused, refused = known.Code, nil
	}
	return p, refused
}

func (s *Service) price(ctx context.Context, a checker.Access, order checker.Order) (checker.Price, error) {
	if order.Kind == checker.Tunnel {
		return s.adapter.Preview(ctx, a, order)
	}
	if err := s.turn(ctx); err != nil {
		return checker.Price{}, err
	}
	return s.adapter.Preview(ctx, a, order)
}

// free refuses an address that is being checked or was a moment ago.
func (s *Service) free(ctx context.Context, flowID, target string, set Settings) error {
	var open bool
	var last *time.Time
	err := s.db.In(ctx).NewRaw(`select coalesce(bool_or(state in ('queued', 'running')), false),
		max(asked_at) filter (where cost is null or cost > 0)
		from health_reports where provider = ? and flow_id = ? and target = ?`,
		s.adapter.Name(), flowID, target).Scan(ctx, &open, &last)
	if err != nil {
		return database.Fault(fmt.Errorf("read the last external check: %w", err), nil)
	}
	interval := time.Duration(set.MinIntervalMins) * time.Minute
	switch {
	case open:
		return errActive
	case last != nil && s.now().Before(last.Add(interval)):
		return errSoon.After(last.Add(interval).Sub(s.now()))
	}
	return nil
}

// Order is a check to be made, and what it may cost at most: the price that was agreed to.
type Order struct {
	Asked
	MaxPrice int64 `json:"max_price" minimum:"1" maximum:"100000000" doc:"Kopeks: the price of the preview. If the service wants more, nothing is paid and the check fails"`
}

// Started is a check that was begun.
type Started struct {
	OperationID string `json:"operation_id" format:"uuid"`
	Report      Report `json:"report"`
}

// origin is why a check is made.
type origin struct {
	source, name string
	schedule     *string
}

// Start reserves the price and has the check made. It calls nobody: the job does.
// Faults: not_found (404), check_active, check_too_soon (409), invalid_value, checker_not_configured,
// cost_limit_reached (422).
func (s *Service) Start(ctx context.Context, flowID string, in Order) (Started, error) {
	return s.start(ctx, flowID, in, origin{source: ByHand, name: access.From(ctx).Username})
}

func (s *Service) start(ctx context.Context, flowID string, in Order, from origin) (out Started, err error) {
	flow, err := s.flow(ctx, flowID)
	if err != nil {
		return out, err
	}
	a, err := s.aimed(ctx, &flow, in.Asked)
	if err != nil {
		return out, err
	}
	var limit string
	var budget Budget
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		set, _, err := s.settings.Get(ctx)
		if err == nil && !set.APIKey.Set() {
			err = errNoKey
		}
		if err == nil {
			err = s.alone(ctx)
		}
		if err == nil {
			err = s.free(ctx, flowID, a.order.Target, set)
		}
		if err != nil {
			return err
		}
		if budget, err = s.budget(ctx, set); err != nil {
			return err
		}
		if limit = budget.exceeded(in.MaxPrice); limit != "" {
			return budget.limitFault(limit)
		}
		out, err = s.reserve(ctx, &flow.Name, flowID, a, in.MaxPrice, from)
		return err
	})
	if limit != "" && !database.InTransaction(ctx) {
		if telling := s.tellReached(ctx, limit, budget); telling != nil {
			return out, telling
		}
	}
	return out, err
}

// reserve writes the row with its price, and the job that makes the check, in the transaction of the context.
func (s *Service) reserve(
	ctx context.Context, flowName *string, flowID string, a aim, price int64, from origin,
) (out Started, err error) {
	now := s.now()
	r := &row{
		ID: database.NewID(), Provider: s.adapter.Name(), FlowID: flowID, FlowName: *flowName, NodeID: a.nodeID,
		NodeName: a.nodeName, Kind: a.order.Kind, Target: a.order.Target, Content: a.order, CallKey: database.NewID(),
		State: Queued, Source: from.source, RequestedBy: from.name, ScheduleID: from.schedule, AskedAt: now,
		TouchedAt: now, Price: price, Legs: []checker.Leg{}, Skipped: []checker.Skipped{},
	}
	if a.order.Link != "" {
		r.Sealed = s.vault.Seal(linkRef(r.ID), []byte(a.order.Link))
	}
	if _, err := s.db.In(ctx).NewInsert().Model(r).Exec(ctx); err != nil {
		return out, database.Fault(fmt.Errorf("store an external check: %w", err), constraints)
	}
	work := operations.New{About: operations.About{Type: "flow", ID: flowID, Name: *flowName}}
	queued := s.queue.Insert(ctx, checkArgs{r.ID}, jobs.Opts{Unique: r.ID, Operation: &work})
	recorded := s.journal.Record(ctx, s.db.In(ctx), audit.Entry{
		Action: healthapi.EventCheckStarted, Object: r.object(),
		Changes: map[string]audit.Change{"price": {To: price}, "target": {To: r.Target}},
	})
	if err := errors.Join(queued, recorded, s.publish(ctx, healthapi.EventCheckStarted, r)); err != nil {
		return out, fmt.Errorf("begin an external check: %w", err)
	}
	return Started{OperationID: work.ID, Report: r.shown()}, nil
}

func (r *row) object() audit.Object {
	return audit.Object{Type: "flow", ID: r.FlowID, Name: r.FlowName}
}

func (s *Service) publish(ctx context.Context, kind string, r *row) error {
	news := healthapi.CheckNews{
		ReportID: r.ID, FlowName: r.FlowName, NodeName: r.NodeName, Target: r.Target, Passed: r.Passed, Total: r.Total,
		Reason: r.ErrorCode,
	}
	if r.Cost != nil {
		news.Cost = *r.Cost
	}
	return s.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: r.FlowID, At: s.now(), Data: news})
}

func linkRef(id string) vault.Ref {
	return vault.Ref{Table: "health_reports", ID: id, Column: "sealed"}
}

// Columns are the sealed columns of this package.
var Columns = []vault.Column{{Table: "health_reports", ID: "id", Column: "sealed"}}
