package cdndns

import (
	"context"

	"panel/modules/cdn-dns/internal/provider"
	"panel/platform/httpapi"
)

// handlers read the request, ask the rules of the module and shape the answer.
type handlers struct {
	integrations *integrations
	setup        *setup
}

func newHandlers(i *integrations, s *setup) *handlers { return &handlers{i, s} }

type body[T any] struct{ Body T }

type pageInput struct{ httpapi.PageQuery }

// ItemPath names a row in a path.
type ItemPath struct {
	ID string `path:"id" maxLength:"64"`
}

// ProviderList are the services that the panel knows.
type ProviderList struct {
	Items []ProviderKind `json:"items"`
}

// ProviderKind is a service and the fields of its integrations.
type ProviderKind struct {
	Name   string           `json:"name"`
	Title  string           `json:"title" doc:"The service's own name"`
	CDN    bool             `json:"cdn" doc:"A CDN, which holds no zones; others are DNS services"`
	Fields []provider.Field `json:"fields"`
}

func (h *handlers) listProviders(context.Context, *struct{}) (*body[ProviderList], error) {
	list := ProviderList{Items: []ProviderKind{}}
	for _, kind := range provider.Kinds() {
		list.Items = append(list.Items, ProviderKind{
			Name: kind.Name, Title: kind.Title, CDN: kind.CDN, Fields: kind.Fields,
		})
	}
	return &body[ProviderList]{list}, nil
}

type addInput struct{ Body NewIntegration }

type changeInput struct {
	ItemPath
	IfMatch string `header:"If-Match"`
	Body    IntegrationChange
}

func (h *handlers) listIntegrations(ctx context.Context, in *pageInput) (*body[httpapi.Page[Integration]], error) {
	page, err := h.integrations.page(ctx, in.PageQuery)
	return &body[httpapi.Page[Integration]]{page}, err
}

func (h *handlers) addIntegration(ctx context.Context, in *addInput) (*body[Integration], error) {
	added, err := h.integrations.add(ctx, in.Body)
	return &body[Integration]{added}, err
}

func (h *handlers) getIntegration(ctx context.Context, in *ItemPath) (*body[Integration], error) {
	row, err := h.integrations.store.integration(ctx, in.ID)
	return &body[Integration]{row.shown()}, err
}

func (h *handlers) changeIntegration(ctx context.Context, in *changeInput) (*body[Integration], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	changed, err := h.integrations.change(ctx, in.ID, revision, in.Body)
	return &body[Integration]{changed}, err
}

func (h *handlers) removeIntegration(ctx context.Context, in *ItemPath) (*struct{}, error) {
	return nil, h.integrations.remove(ctx, in.ID)
}

// ZoneList are the zones of an integration.
type ZoneList struct {
	Items []Zone `json:"items"`
}

func (h *handlers) listZones(ctx context.Context, in *ItemPath) (*body[ZoneList], error) {
	zones, err := h.integrations.zones(ctx, in.ID)
	return &body[ZoneList]{ZoneList{zones}}, err
}

type setupInput struct{ Body DNSSetup }

func (h *handlers) setupDNS(ctx context.Context, in *setupInput) (*body[DNSSetupResult], error) {
	result, err := h.setup.run(ctx, in.Body)
	return &body[DNSSetupResult]{result}, err
}
