package notifications

import (
	"context"

	"panel/platform/httpapi"
)

// handlers read the request, ask the rules of the module and shape the answer.
type handlers struct {
	channels *channels
	rules    *rules
	courier  *courier
}

func newHandlers(c *channels, r *rules, d *courier) *handlers { return &handlers{c, r, d} }

type body[T any] struct{ Body T }

type pageInput struct{ httpapi.PageQuery }

// ItemPath names a row in a path.
type ItemPath struct {
	ID string `path:"id" maxLength:"64"`
}

type addChannelInput struct{ Body NewChannel }

type changeChannelInput struct {
	ItemPath
	IfMatch string `header:"If-Match"`
	Body    ChannelChange
}

type addRuleInput struct{ Body NewRule }

type changeRuleInput struct {
	ItemPath
	IfMatch string `header:"If-Match"`
	Body    RuleChange
}

type deliveriesInput struct {
	httpapi.PageQuery
	Channel string `query:"channel" maxLength:"64" doc:"messenger, or the id of a channel"`
	State   string `query:"state" enum:"queued,sending,sent,failed,folded,superseded,cancelled"`
	Kind    string `query:"kind" maxLength:"64" doc:"Kind of the event"`
}

// EventList are the kinds of events that rules can name.
type EventList struct {
	Items []EventKind `json:"items"`
}

// MessengerTest says that the messenger took the test.
type MessengerTest struct {
	Sent      bool   `json:"sent"`
	MessageID string `json:"message_id" doc:"Number of the message in the chat"`
}

func (h *handlers) listChannels(ctx context.Context, in *pageInput) (*body[httpapi.Page[Channel]], error) {
	page, err := h.channels.page(ctx, in.PageQuery)
	return &body[httpapi.Page[Channel]]{page}, err
}

func (h *handlers) addChannel(ctx context.Context, in *addChannelInput) (*body[Channel], error) {
	channel, err := h.channels.add(ctx, in.Body)
	return &body[Channel]{channel}, err
}

func (h *handlers) getChannel(ctx context.Context, in *ItemPath) (*body[Channel], error) {
	row, err := h.channels.get(ctx, in.ID)
	return &body[Channel]{h.channels.shown(&row)}, err
}

func (h *handlers) changeChannel(ctx context.Context, in *changeChannelInput) (*body[Channel], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	channel, err := h.channels.change(ctx, in.ID, revision, in.Body)
	return &body[Channel]{channel}, err
}

func (h *handlers) removeChannel(ctx context.Context, in *ItemPath) (*struct{}, error) {
	return nil, h.channels.remove(ctx, in.ID)
}

func (h *handlers) testChannel(ctx context.Context, in *ItemPath) (*body[Delivery], error) {
	delivery, err := h.courier.test(ctx, in.ID)
	return &body[Delivery]{delivery}, err
}

func (h *handlers) listRules(ctx context.Context, in *pageInput) (*body[httpapi.Page[Rule]], error) {
	page, err := h.rules.page(ctx, in.PageQuery)
	return &body[httpapi.Page[Rule]]{page}, err
}

func (h *handlers) addRule(ctx context.Context, in *addRuleInput) (*body[Rule], error) {
	rule, err := h.rules.add(ctx, in.Body)
	return &body[Rule]{rule}, err
}

func (h *handlers) getRule(ctx context.Context, in *ItemPath) (*body[Rule], error) {
	rule, err := h.rules.get(ctx, in.ID)
	return &body[Rule]{rule}, err
}

func (h *handlers) changeRule(ctx context.Context, in *changeRuleInput) (*body[Rule], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	rule, err := h.rules.change(ctx, in.ID, revision, in.Body)
	return &body[Rule]{rule}, err
}

func (h *handlers) removeRule(ctx context.Context, in *ItemPath) (*struct{}, error) {
	return nil, h.rules.remove(ctx, in.ID)
}

func (h *handlers) listDeliveries(ctx context.Context, in *deliveriesInput) (*body[httpapi.Page[Delivery]], error) {
	page, err := h.courier.queue.page(ctx, *in)
	return &body[httpapi.Page[Delivery]]{page}, err
}

func (h *handlers) getDelivery(ctx context.Context, in *ItemPath) (*body[Delivery], error) {
	row, err := h.courier.queue.get(ctx, in.ID)
	return &body[Delivery]{row.shown()}, err
}

func (h *handlers) listEvents(_ context.Context, _ *struct{}) (*body[EventList], error) {
	return &body[EventList]{EventList{Items: h.rules.kinds()}}, nil
}

func (h *handlers) testMessenger(ctx context.Context, _ *struct{}) (*body[MessengerTest], error) {
	id, err := h.courier.testMessenger(ctx)
	return &body[MessengerTest]{MessengerTest{Sent: err == nil, MessageID: id}}, err
}
