package cdndns

import (
	"context"
	"errors"
	"net/http"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/cdn-dns/internal/answers"
	"panel/modules/cdn-dns/internal/certificates"
	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/spread"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/outbound"
	"panel/platform/settings"
	"panel/platform/vault"
)

// issuer is what the module does with certificates: it orders those of bindings, and keeps those that are uploaded.
type issuer struct {
	*certificates.Engine
	settings *settings.Doc[CertificateSettings]
	domains  domainsapi.Domains
	spread   *spread.Spread
}

func newIssuer(
	db *database.DB, v *vault.Vault, l *database.Listener, n *outbound.Network, j audit.Journal, b *events.Bus,
	clock clockwork.Clock, log *zap.Logger, s *settings.Store, d domainsapi.Domains, i *integrations,
	documents nodesapi.Documents, fleet nodesapi.Fleet, cfg *config.Config,
) *issuer {
	made := &issuer{settings: openCertificateSettings(s, n), domains: d}
	made.Engine = certificates.New(certificates.Tools{
		DB: db, Vault: v, Listener: l, Network: n, Journal: j, Bus: b, Clock: clock, Log: log,
		Settings: made.authority, Find: solverOf(i), Answers: answers.New(db, d, fleet, documents, cfg.Int(answerPort)),
	})
	made.spread = spread.New(db, made.Engine, documents)
	return made
}

// solverOf finds who writes the records that prove a name.
func solverOf(i *integrations) certificates.FindSolver {
	return func(ctx context.Context, hostname string) (string, certificates.Solver, error) {
		zone, solver, err := i.solver(ctx, hostname)
		if errors.Is(err, provider.ErrNoZone) {
			return "", nil, certificates.ErrNoZone
		}
		return zone, solver, err
	}
}

func (i *issuer) authority(ctx context.Context) (certificates.Authority, error) {
	set, _, err := i.settings.Get(ctx)
	return set.authority(), err
}

// renew orders the certificate of a binding, the first one too. A binding of somebody else is answered like an unknown
// one. Faults: not_found (404), certificate_zone_unknown (422), certificate_held, certificate_budget_spent (409), and
// those of the DNS service.
func (i *issuer) renew(ctx context.Context, domainID string) (shown certificates.Certificate, err error) {
	binding, err := bindingOf(ctx, i.domains, domainID)
	if err != nil {
		return shown, err
	}
	id, err := i.Ensure(ctx, binding.Hostname, binding.Zone)
	if err == nil {
		err = i.Order(ctx, id)
	}
	if err != nil {
		return shown, err
	}
	return i.Show(ctx, id)
}

// withCertificates adds to the manifest what certificates need.
func withCertificates(m module.Module) module.Module {
	m.Requires = append(m.Requires, "domains", "flows", "nodes")
	m.Faults = append(append(m.Faults, certificates.Faults()...), fault.Declared{
		Kind: fault.KindConflict, Code: "certificate_in_use", Summary: "A flow shows the certificate, and there is no other one",
	})
	m.Journal.Actions = append(append(m.Journal.Actions, certificates.Actions()...), certificateSettingsChanged)
	m.Journal.Objects = append(m.Journal.Objects, certificates.Object, "settings")
	m.Events = append(append(m.Events, certificates.EventKinds(View)...),
		settings.Kind(certificateSettingsChanged, "Settings of certificates were changed", View))
	m.Secrets = append(m.Secrets, certificates.Secrets()...)
	m.Tidy = append(m.Tidy, certificates.Tidy()...)
	m.Checks = append(m.Checks, certificateCheck(), shownCheck())
	m.Private = append(m.Private, newIssuer)
	return m
}

// parts are what certificates add to the module while it lives.
func (i *issuer) parts(states domainsapi.States, stages flowsapi.Stages) module.Parts {
	states.Add(certificates.Source())
	stages.Add(i.spread.Stages(i.domains)...)
	return module.Parts{
		Routes:    i.routes(),
		Jobs:      []jobs.Worker{i.Worker()},
		Schedules: []jobs.Schedule{certificates.Schedule()},
		Loops:     []func(context.Context) error{i.Run},
		Metrics:   i.metrics(),
	}
}

func (i *issuer) routes() httpapi.Routes {
	view, manage, reads := access.Needs(View), access.Needs(Manage), httpapi.UngatedReads()
	accepted, gone := httpapi.Status(http.StatusAccepted), httpapi.Status(http.StatusNoContent)
	return httpapi.Join(
		httpapi.Under("/api/v1/certificates", feature,
			httpapi.Get("", "List certificates", view, i.list, reads),
			httpapi.Post("", "Upload a certificate", manage, i.upload, httpapi.Status(http.StatusCreated)),
			httpapi.Get("/budgets", "Show how many certificates the authority issues this week", view, i.budgets, reads),
			httpapi.Get("/{id}", "Show a certificate", view, i.show, reads),
			httpapi.Delete("/{id}", "Remove a certificate", manage, i.remove, gone),
			httpapi.Post("/{id}/renew", "Renew a certificate now", manage, i.renewNow, accepted),
		),
		httpapi.Under("/api/v1/node-domains", feature,
			httpapi.Post("/{id}/renew-certificate", "Order the certificate of a node domain", manage, i.renewBinding, accepted),
		),
		settings.Routes("/api/v1/dns/certificate-settings", "certificates", view, manage, i.settings,
			shownCertificateSettings),
	)
}

func (i *issuer) list(ctx context.Context, in *pageInput) (*body[httpapi.Page[certificates.Certificate]], error) {
	page, err := i.List(ctx, in.PageQuery)
	return &body[httpapi.Page[certificates.Certificate]]{page}, err
}

func (i *issuer) show(ctx context.Context, in *ItemPath) (*body[certificates.Certificate], error) {
	shown, err := i.Show(ctx, in.ID)
	return &body[certificates.Certificate]{shown}, err
}

// NewCertificate is a certificate of the operator's own. It is written only.
type NewCertificate struct {
	Chain string `json:"chain" minLength:"1" maxLength:"65536" doc:"PEM, the certificate itself first"`
	Key   string `json:"key" minLength:"1" maxLength:"16384" doc:"PEM of the private key, without a passphrase"`
}

type uploadInput struct{ Body NewCertificate }

func (i *issuer) upload(ctx context.Context, in *uploadInput) (*body[certificates.Certificate], error) {
	shown, err := i.Upload(ctx, certificates.Pair{Chain: in.Body.Chain, Key: in.Body.Key})
	return &body[certificates.Certificate]{shown}, err
}

func (i *issuer) remove(ctx context.Context, in *ItemPath) (*struct{}, error) {
	return nil, i.Remove(ctx, in.ID)
}

func (i *issuer) renewNow(ctx context.Context, in *ItemPath) (*body[certificates.Certificate], error) {
	if err := i.Order(ctx, in.ID); err != nil {
		return nil, err
	}
	return i.show(ctx, in)
}

func (i *issuer) renewBinding(ctx context.Context, in *ItemPath) (*body[certificates.Certificate], error) {
	shown, err := i.renew(ctx, in.ID)
	return &body[certificates.Certificate]{shown}, err
}

// BudgetList is what is left for the registered domains of this week.
type BudgetList struct {
	Items []certificates.Budget `json:"items"`
}

func (i *issuer) budgets(ctx context.Context, _ *struct{}) (*body[BudgetList], error) {
	all, err := i.Budgets(ctx)
	return &body[BudgetList]{BudgetList{Items: all}}, err
}
