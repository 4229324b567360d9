package setup

import (
	"context"
	"crypto/subtle"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/core/accounts"
	"panel/platform/core/system"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

type handlers struct {
	progress *Progress
	journal  audit.Journal
	cfg      *config.Config
	clock    clockwork.Clock
}

func newHandlers(p *Progress, j audit.Journal, cfg *config.Config, clock clockwork.Clock) *handlers {
	return &handlers{progress: p, journal: j, cfg: cfg, clock: clock}
}

const created = 201

func (h *handlers) routes() httpapi.Routes {
	small := httpapi.BodyLimit(httpapi.SmallBodyLimit)
	return httpapi.Under("/api/v1/setup", "",
		httpapi.Get("/state", "Show how far the first installation is", access.PublicWithin(access.WideLimit), h.state),
		httpapi.Post("/admin", "Create the first administrator", access.FirstAdmin(access.PublicLimit), h.createAdmin,
			httpapi.WhileDegraded(), httpapi.Status(created), small),
		httpapi.Post("/finish", "End the first installation", access.Setup(system.Manage), h.finish,
			httpapi.WhileDegraded(), small),
	)
}

type none struct{}

// check is one line of the wizard's first step.
type check struct {
	ID string `json:"id" enum:"database,secret_key,public_url,clock"`
	OK bool   `json:"ok"`
}

type stateOutput struct {
	Body struct {
		Administrator bool      `json:"administrator"`
		Finished      bool      `json:"finished"`
		TokenRequired bool      `json:"setup_token_required"`
		ServerTime    time.Time `json:"server_time"`
		Checks        []check   `json:"checks"`
	}
}

// state is public at any time; the checks are shown only while the installation goes on.
func (h *handlers) state(ctx context.Context, _ *none) (*stateOutput, error) {
	administrator, finished, err := h.progress.Progress(ctx)
	if err != nil {
		return nil, err
	}
	out := &stateOutput{}
	out.Body.Administrator, out.Body.Finished, out.Body.ServerTime = administrator, finished, h.clock.Now().UTC()
	out.Body.TokenRequired = h.cfg.Given(config.SetupToken) && !administrator
	out.Body.Checks = []check{}
	if !finished {
		out.Body.Checks = h.checks(ctx)
	}
	return out, nil
}

// oldestPlausible is before any build of this product: a clock that shows less is wrong.
var oldestPlausible = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (h *handlers) checks(ctx context.Context) []check {
	return []check{
		{ID: "database", OK: h.progress.db.PingContext(ctx) == nil},
		{ID: "secret_key", OK: h.cfg.Given(config.SecretKey)},
		{ID: "public_url", OK: h.cfg.Given(config.PublicURL)},
		{ID: "clock", OK: h.clock.Now().After(oldestPlausible)},
	}
}

type adminInput struct {
	Body struct {
		Username   string `json:"username" minLength:"3" maxLength:"64" pattern:"^[\\p{L}\\p{N}._@-][\\p{L}\\p{M}\\p{N}._@-]*$" patternDescription:"letters, digits and . _ @ -"`
		Password   string `json:"password" minLength:"8" maxLength:"128"`
		SetupToken string `json:"setup_token,omitempty" maxLength:"256"`
	}
}

type adminOutput struct{ Body *accounts.SignedIn }

var errToken = fault.Unauthenticated("setup_token_invalid",
	"the set-up link is wrong or incomplete; open the one that the installer printed")

// createAdmin makes the first administrator and nothing else ever does (domain decision 4).
func (h *handlers) createAdmin(ctx context.Context, in *adminInput) (*adminOutput, error) {
	wanted := h.cfg.Secret(config.SetupToken).Reveal()
	if wanted != "" && subtle.ConstantTimeCompare([]byte(wanted), []byte(in.Body.SetupToken)) != 1 {
		return nil, errToken
	}
	out := &adminOutput{}
	err := h.progress.db.InTx(ctx, func(ctx context.Context) error {
		if err := h.onlyFirst(ctx); err != nil {
			return err
		}
		var err error
		out.Body, err = h.progress.first.Create(ctx, in.Body.Username, in.Body.Password)
		return err
	})
	return out, err
}

func (h *handlers) onlyFirst(ctx context.Context) error {
	if err := h.progress.lock(ctx); err != nil {
		return err
	}
	exists, err := h.progress.first.Exists(ctx)
	if err == nil && exists {
		return httpapi.ErrSetupClosed
	}
	return err
}

type finishOutput struct {
	Body struct {
		Finished bool `json:"finished"`
	}
}

// finish closes the set-up for good; before an administrator exists there is nothing to finish.
func (h *handlers) finish(ctx context.Context, _ *none) (*finishOutput, error) {
	administrator, _, err := h.progress.Progress(ctx)
	if err != nil {
		return nil, err
	}
	if !administrator {
		return nil, fault.Unauthenticated("no_session", "create the first administrator, then finish with its session")
	}
	err = h.progress.db.InTx(ctx, func(ctx context.Context) error {
		if err := h.progress.finish(ctx); err != nil {
			return err
		}
		return h.journal.Record(ctx, h.progress.db.In(ctx), audit.Entry{
			Action: "system.setup_finished",
			Object: audit.Object{Type: "installation"},
		})
	})
	out := &finishOutput{}
	out.Body.Finished = err == nil
	return out, err
}
