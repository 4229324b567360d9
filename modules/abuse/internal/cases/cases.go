package cases

import (
	"context"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/abuse/internal/score"
	"panel/modules/abuse/internal/views"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
)

// The words for what happens to cases, in the journal and as events.
const (
	Object       = "abuse_case"
	EventOpened  = "abuse.case_opened"
	EventChanged = "abuse.case_changed" // scored again, dismissed, opened again
	ActionNoted  = "abuse.case_noted"
)

// News is the data of an event about a case.
type News struct {
	Number      int64  `json:"number"`
	User        string `json:"user"`
	State       string `json:"state"`
	Score       int    `json:"score"`
	Recommended string `json:"recommended"`
	Why         string `json:"why"`
}

// Rules are what administrators have set of scoring.
type Rules struct {
	Values     score.Values
	Thresholds score.Thresholds
}

// Tools are what cases work with.
type Tools struct {
	DB      *database.DB
	Clock   clockwork.Clock
	Log     *zap.Logger
	Journal audit.Journal
	Bus     *events.Bus
	Views   *views.Views
	Rules   func(ctx context.Context) (Rules, error)
	// Watched is called in the transaction in which cases begin or end: agents are to tell more or less.
	Watched func(ctx context.Context) error
}

// Cases scores and keeps cases.
type Cases struct {
	Tools
	actsOf ActsOf
}

// Serve takes who knows what was done about users, while the panel is composed.
func (c *Cases) Serve(of ActsOf) { c.actsOf = of }

// New makes cases.
func New(t Tools) *Cases {
	return &Cases{t, func(context.Context, string) ([]Action, error) { return []Action{}, nil }}
}

func (c *Cases) now() time.Time { return c.Clock.Now().UTC().Truncate(time.Microsecond) }

// pace is how often it is looked for what came in.
const pace = time.Minute

// Run scores until the context ends.
func (c *Cases) Run(ctx context.Context) error {
	tick := c.Clock.NewTicker(pace)
	defer tick.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.Chan():
		}
		err := c.CatchUp(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			c.Log.Error("users cannot be scored", zap.Error(err))
		}
		failed = err != nil
	}
}

// CatchUp scores until nothing is left that came in.
func (c *Cases) CatchUp(ctx context.Context) error {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = c.Round(ctx); err != nil {
			return err
		}
	}
	return nil
}
