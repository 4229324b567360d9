package selfupdate

import (
	"context"
	"time"

	"panel/platform/access"
	"panel/platform/core/system"
	"panel/platform/httpapi"
)

type handlers struct{ service *service }

func newHandlers(s *service) *handlers { return &handlers{s} }

const accepted = 202

// asks leaves time for the address of the releases.
var asks = httpapi.Deadline(checkWithin + 5*time.Second)

func (h *handlers) routes() httpapi.Routes {
	manage := access.Needs(system.Manage)
	return httpapi.Under(
		"/api/v1/system/updates",
		"",
		httpapi.Get("", "Show the version, what newer there is, and the way back", manage, h.show),
		httpapi.Post("/check", "Check for a newer release now", manage, h.check, httpapi.WhileDegraded(), asks,
			httpapi.Anew()),
		httpapi.Post("/apply", "Install the newer release", manage, h.apply, httpapi.WhileDegraded(), asks,
			httpapi.Status(accepted)),
		httpapi.Post(
			"/rollback",
			"Roll back to the release before",
			manage,
			h.rollback,
			httpapi.WhileDegraded(),
			httpapi.Status(accepted),
		),
	)
}

// View is the answer of GET /api/v1/system/updates and of panelctl update status.
type View struct {
	Current    string     `json:"current" doc:"Version of the running panel"`
	Channel    string     `json:"channel" enum:"stable,dev"`
	Configured bool       `json:"configured" doc:"Address and key of the releases are set"`
	Installer  bool       `json:"installer" doc:"This installation can replace itself; false: updates are installed by hand"`
	CheckedAt  *time.Time `json:"checked_at" doc:"When a newer release was last checked for"`
	CheckError string     `json:"check_error" enum:",unreachable,untrusted,unusable" doc:"Why the last check failed; empty when it did not"`
	Available  *Offer     `json:"available" doc:"The newer release; null when there is none"`
	Checks     []Check    `json:"checks" doc:"What must hold before the newer release may be installed; empty without one"`
	Run        *Run       `json:"run" doc:"The run that goes on; null when none does"`
	Rollback   Rollback   `json:"rollback"`
	History    []Run      `json:"history" doc:"Ended runs, newest first, at most 20"`
}

// Offer is a release that is newer than the running panel.
type Offer struct {
	Version    string    `json:"version"`
	Channel    string    `json:"channel"`
	ReleasedAt time.Time `json:"released_at"`
	Notes      string    `json:"notes"`
	Breaking   bool      `json:"breaking" doc:"Something must be done by hand; the notes say what"`
	MinPanel   string    `json:"min_panel" doc:"Oldest panel that may install it; empty: any"`
	MinAgent   string    `json:"min_agent" doc:"Oldest agent that it talks to; empty: any"`
	Size       int64     `json:"size" doc:"Bytes that are fetched"`
}

// Check is one condition of an update.
type Check struct {
	ID      string `json:"id" enum:"installer,version,platform,disk,database"`
	OK      bool   `json:"ok"`
	Finding string `json:"finding"`
	Action  string `json:"action" doc:"What to do when it does not hold"`
}

// Run is one update or rollback.
type Run struct {
	ID         string     `json:"id"`
	Kind       string     `json:"kind" enum:"update,rollback"`
	From       string     `json:"from"`
	To         string     `json:"to"`
	State      string     `json:"state" enum:"requested,fetching,stopping,saving,replacing,starting,checking,returning,done,returned,failed" doc:"done: the wanted version runs; returned: the one before runs again; failed: nothing was changed, or an operator is needed"`
	Reason     string     `json:"reason" doc:"Why it returned or failed"`
	By         string     `json:"by"`
	StartedAt  time.Time  `json:"started_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

// Rollback says whether the release before can come back.
type Rollback struct {
	Possible bool       `json:"possible"`
	Version  string     `json:"version" doc:"The release that would come back; empty when none is kept"`
	Until    *time.Time `json:"until" doc:"Until when it can come back; the kept set is removed by the next run after it"`
	Reason   string     `json:"reason" enum:",none_kept,expired,run_active,no_installer" doc:"Why it is not possible"`
	// RestoresDatabase is true when the newer release changed the schema: then what was written since is lost.
	RestoresDatabase bool       `json:"restores_database" doc:"The database comes back as it was at taken_at; what was written since is lost"`
	TakenAt          *time.Time `json:"taken_at"`
}

type none struct{}

type viewOutput struct{ Body View }

type runOutput struct{ Body Run }

type applyInput struct {
	Body struct {
		Version string `json:"version" minLength:"1" maxLength:"64" doc:"The version that was offered"`
	}
}

func (h *handlers) show(ctx context.Context, _ *none) (*viewOutput, error) {
	view, err := h.service.View(ctx)
	return &viewOutput{view}, err
}

// check answers 200 also when the check failed: check_error says so.
func (h *handlers) check(ctx context.Context, _ *none) (*viewOutput, error) {
	if err := h.service.check(ctx); err != nil {
		return nil, err
	}
	return h.show(ctx, nil)
}

func (h *handlers) apply(ctx context.Context, in *applyInput) (*runOutput, error) {
	run, err := h.service.apply(ctx, in.Body.Version)
	return &runOutput{run}, err
}

func (h *handlers) rollback(ctx context.Context, _ *none) (*runOutput, error) {
	run, err := h.service.rollback(ctx)
	return &runOutput{run}, err
}
