package hosting

import (
	"context"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// handlers read the request, ask the rules of the module and shape the answer.
type handlers struct {
	accounts *accounts
	machines *machines
	orders   *orders
	replaces *replacements
}

func newHandlers(a *accounts, m *machines, o *orders, r *replacements) *handlers {
	return &handlers{a, m, o, r}
}

type body[T any] struct{ Body T }

type pageInput struct{ httpapi.PageQuery }

// AccountPath names an account in a path.
type AccountPath struct {
	ID string `path:"id" maxLength:"64"`
}

// ServerPath names a machine in a path.
type ServerPath struct {
	AccountPath
	ServerID string `path:"server_id" maxLength:"64"`
}

// KindList are the kinds of providers that this build knows.
type KindList struct {
	Items []KindView `json:"items"`
}

// KindView is one kind of provider.
type KindView struct {
	Kind      string        `json:"kind"`
	Title     string        `json:"title" doc:"As the provider writes itself"`
	BaseURL   string        `json:"base_url" doc:"Usual address of its API; empty: nobody is called"`
	Fields    []cloud.Field `json:"fields" doc:"What credentials must hold"`
	Abilities []string      `json:"abilities" doc:"servers: read; plans: regions and plans are read; balance: it says what is left; entries: machines are entered by hand; create, power, delete: machines are made, switched, deleted"`
	Rights    []string      `json:"rights" doc:"What the credentials need, in the provider's words"`
}

func (h *handlers) listKinds(context.Context, *struct{}) (*body[KindList], error) {
	list := KindList{Items: []KindView{}}
	for _, k := range cloud.Kinds() {
		list.Items = append(list.Items, KindView{
			Kind: k.Name, Title: k.Title, BaseURL: k.BaseURL, Fields: k.Fields, Abilities: k.Abilities,
			Rights: k.Rights,
		})
	}
	return &body[KindList]{list}, nil
}

func (h *handlers) list(ctx context.Context, in *pageInput) (*body[httpapi.Page[Account]], error) {
	page, err := h.accounts.store.page(ctx, in.PageQuery)
	return &body[httpapi.Page[Account]]{page}, err
}

type addInput struct{ Body NewAccount }

func (h *handlers) add(ctx context.Context, in *addInput) (*body[Account], error) {
	added, err := h.accounts.add(ctx, in.Body)
	return &body[Account]{added}, err
}

func (h *handlers) get(ctx context.Context, in *AccountPath) (*body[Account], error) {
	row, err := h.accounts.store.account(ctx, in.ID)
	return &body[Account]{row.shown()}, err
}

type changeInput struct {
	AccountPath
	IfMatch string `header:"If-Match"`
	Body    AccountChange
}

func (h *handlers) change(ctx context.Context, in *changeInput) (*body[Account], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	changed, err := h.accounts.change(ctx, in.ID, revision, in.Body)
	return &body[Account]{changed}, err
}

func (h *handlers) remove(ctx context.Context, in *AccountPath) (*struct{}, error) {
	return nil, h.accounts.remove(ctx, in.ID)
}

func (h *handlers) test(ctx context.Context, in *AccountPath) (*body[Account], error) {
	found, err := h.accounts.test(ctx, in.ID)
	return &body[Account]{found}, err
}

func (h *handlers) sync(ctx context.Context, in *AccountPath) (*body[SyncStarted], error) {
	started, err := h.machines.begin(ctx, in.ID)
	return &body[SyncStarted]{started}, err
}

func (h *handlers) billing(ctx context.Context, _ *struct{}) (*body[Billing], error) {
	bill, err := h.machines.billing(ctx)
	return &body[Billing]{bill}, err
}

type paidInput struct {
	ServerPath
	Body Settled
}

func (h *handlers) paid(ctx context.Context, in *paidInput) (*body[Server], error) {
	server, err := h.machines.paid(ctx, in.ID, in.ServerID, in.Body)
	return &body[Server]{server}, err
}

type skipInput struct {
	ServerPath
	Body Skipped
}

func (h *handlers) skip(ctx context.Context, in *skipInput) (*body[Server], error) {
	server, err := h.machines.skip(ctx, in.ID, in.ServerID, in.Body)
	return &body[Server]{server}, err
}

// RegionList are the places where machines can be made.
type RegionList struct {
	Items []cloud.Region `json:"items"`
}

func (h *handlers) listRegions(ctx context.Context, in *AccountPath) (*body[RegionList], error) {
	list, err := ask(ctx, h.accounts, in.ID, cloud.CanPlans, (*cloud.Client).Regions)
	return &body[RegionList]{RegionList{Items: list}}, err
}

// PlanList are the sizes of machines.
type PlanList struct {
	Items []cloud.Plan `json:"items"`
}

type plansInput struct {
	AccountPath
	Region string `query:"region" maxLength:"64" doc:"Only what can be had there, with the price there"`
}

func (h *handlers) listPlans(ctx context.Context, in *plansInput) (*body[PlanList], error) {
	list, err := ask(ctx, h.accounts, in.ID, cloud.CanPlans,
		func(c *cloud.Client, ctx context.Context) ([]cloud.Plan, error) { return c.Plans(ctx, in.Region) })
	return &body[PlanList]{PlanList{Items: list}}, err
}

type serversInput struct {
	AccountPath
	httpapi.PageQuery
}

func (h *handlers) listServers(ctx context.Context, in *serversInput) (*body[httpapi.Page[Server]], error) {
	if _, err := h.accounts.store.account(ctx, in.ID); err != nil {
		return nil, err
	}
	page, err := h.accounts.store.servers(ctx, in.ID, in.PageQuery)
	return &body[httpapi.Page[Server]]{page}, err
}

func (h *handlers) getServer(ctx context.Context, in *ServerPath) (*body[Server], error) {
	row, err := h.accounts.store.server(ctx, in.ID, in.ServerID)
	return &body[Server]{row.shown()}, err
}

type changeServerInput struct {
	ServerPath
	IfMatch string `header:"If-Match"`
	Body    ServerChange
}

func (h *handlers) changeServer(ctx context.Context, in *changeServerInput) (*body[Server], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	changed, err := h.machines.change(ctx, in.ID, in.ServerID, revision, in.Body)
	return &body[Server]{changed}, err
}

type entryInput struct {
	AccountPath
	Body NewEntry
}

func (h *handlers) addEntry(ctx context.Context, in *entryInput) (*body[Server], error) {
	added, err := h.machines.enter(ctx, in.ID, in.Body)
	return &body[Server]{added}, err
}

func (h *handlers) removeEntry(ctx context.Context, in *ServerPath) (*struct{}, error) {
	return nil, h.machines.removeEntry(ctx, in.ID, in.ServerID)
}

// ImageList are the systems that machines can begin with.
type ImageList struct {
	Items []cloud.Image `json:"items"`
}

func (h *handlers) listImages(ctx context.Context, in *AccountPath) (*body[ImageList], error) {
	list, err := ask(ctx, h.accounts, in.ID, cloud.CanCreate, (*cloud.Client).Images)
	return &body[ImageList]{ImageList{Items: list}}, err
}

type previewInput struct {
	AccountPath
	Body NewServer
}

func (h *handlers) preview(ctx context.Context, in *previewInput) (*body[Quote], error) {
	quote, err := h.orders.preview(ctx, in.ID, in.Body)
	return &body[Quote]{quote}, err
}

type createInput struct {
	AccountPath
	Body ServerOrder
}

func (h *handlers) create(ctx context.Context, in *createInput) (*body[Order], error) {
	order, err := h.orders.create(ctx, in.ID, in.Body)
	return &body[Order]{order}, err
}

// PowerChange is what a machine is wanted to do.
type PowerChange struct {
	Act string `json:"act" enum:"on,off,reboot" doc:"off: at once, without asking its system"`
}

type powerInput struct {
	ServerPath
	Body PowerChange
}

func (h *handlers) power(ctx context.Context, in *powerInput) (*body[Order], error) {
	order, err := h.orders.power(ctx, in.ID, in.ServerID, in.Body.Act)
	return &body[Order]{order}, err
}

type deleteInput struct {
	ServerPath
	Confirm string `query:"confirm" maxLength:"64" doc:"The name of the machine, to say that it is meant"`
}

func (h *handlers) deleteServer(ctx context.Context, in *deleteInput) (*body[Order], error) {
	order, err := h.orders.remove(ctx, in.ID, in.ServerID, in.Confirm)
	return &body[Order]{order}, err
}

func (h *handlers) listOrders(ctx context.Context, in *serversInput) (*body[httpapi.Page[Order]], error) {
	if _, err := h.accounts.store.account(ctx, in.ID); err != nil {
		return nil, err
	}
	page, err := h.accounts.store.orders(ctx, in.ID, in.PageQuery)
	return &body[httpapi.Page[Order]]{page}, err
}

type orderPath struct {
	AccountPath
	OrderID string `path:"order_id" maxLength:"64"`
}

func (h *handlers) getOrder(ctx context.Context, in *orderPath) (*body[Order], error) {
	row, err := h.accounts.store.order(ctx, in.OrderID)
	if err == nil && row.AccountID != in.ID {
		err = fault.Missing(fault.NoSuchThing)
	}
	return &body[Order]{row.shown()}, err
}

type replacePreviewInput struct {
	ServerPath
	Body NewReplacement
}

func (h *handlers) previewReplacement(ctx context.Context, in *replacePreviewInput) (*body[ReplacementQuote], error) {
	quote, err := h.replaces.quoted(ctx, in.ID, in.ServerID, in.Body)
	return &body[ReplacementQuote]{quote}, err
}

type replaceInput struct {
	ServerPath
	Body ReplacementOrder
}

func (h *handlers) replace(ctx context.Context, in *replaceInput) (*body[Replacement], error) {
	begun, err := h.replaces.start(ctx, in.ID, in.ServerID, in.Body)
	return &body[Replacement]{begun}, err
}

func (h *handlers) listReplacements(ctx context.Context, in *serversInput) (*body[httpapi.Page[Replacement]], error) {
	if _, err := h.accounts.store.account(ctx, in.ID); err != nil {
		return nil, err
	}
	page, err := h.accounts.store.replacements(ctx, in.ID, in.PageQuery)
	return &body[httpapi.Page[Replacement]]{page}, err
}

type replacementPath struct {
	AccountPath
	ReplacementID string `path:"replacement_id" maxLength:"64"`
}

func (h *handlers) getReplacement(ctx context.Context, in *replacementPath) (*body[Replacement], error) {
	row, err := h.accounts.store.replacement(ctx, in.ReplacementID)
	if err == nil && row.AccountID != in.ID {
		err = fault.Missing(fault.NoSuchThing)
	}
	return &body[Replacement]{row.shown()}, err
}

func (h *handlers) cancelReplacement(ctx context.Context, in *replacementPath) (*body[Replacement], error) {
	row, err := h.replaces.cancel(ctx, in.ID, in.ReplacementID)
	return &body[Replacement]{row.shown()}, err
}

func (h *handlers) continueReplacement(ctx context.Context, in *replacementPath) (*body[Replacement], error) {
	row, err := h.replaces.resume(ctx, in.ID, in.ReplacementID)
	return &body[Replacement]{row.shown()}, err
}
