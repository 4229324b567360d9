package abuse

import (
	"context"
	"net/url"
	"time"

	"panel/modules/abuse/internal/acts"
	"panel/modules/abuse/internal/blocks"
	"panel/modules/abuse/internal/cases"
	"panel/modules/abuse/internal/intake"
	"panel/modules/abuse/internal/lookups"
	"panel/modules/abuse/internal/views"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/settings"
)

// handlers read the request, ask who knows and shape the answer.
type handlers struct {
	intake   *intake.Intake
	views    *views.Views
	list     *allowlist
	cases    *cases.Cases
	lookups  *lookups.Lookups
	acts     *acts.Acts
	blocks   *blocks.Blocks
	settings *settings.Doc[Settings]
}

func newHandlers(
	i *intake.Intake, v *views.Views, l *allowlist, c *cases.Cases, ups *lookups.Lookups, a *acts.Acts,
	b *blocks.Blocks, doc *settings.Doc[Settings],
) *handlers {
	return &handlers{intake: i, views: v, list: l, cases: c, lookups: ups, acts: a, blocks: b, settings: doc}
}

type body[T any] struct{ Body T }

type signalsInput struct {
	httpapi.PageQuery
	Kind          string  `query:"kind" enum:"torrent,port_scan,smtp_spam,brute_force,ddos_out,phishing_dest,blocked_geo,high_rate,too_many_sources"`
	UserRef       string  `query:"user_ref" maxLength:"128" doc:"c:<client id> or p:<connection>:<user id>"`
	NodeID        string  `query:"node_id" maxLength:"64"`
	FlowID        string  `query:"flow_id" maxLength:"64"`
	DetectedBy    string  `query:"detected_by" enum:"xray_routing,ndpi,netflow,rule"`
	MinConfidence float64 `query:"min_confidence" minimum:"0" maximum:"1"`
	From          string  `query:"from" format:"date-time" doc:"Seven days ago when left out"`
	To            string  `query:"to" format:"date-time" doc:"Now when left out"`
	Allowed       bool    `query:"allowed" doc:"Also those of users and networks on the allow-list"`
}

type diversityInput struct {
	UserRef string `path:"user_ref" maxLength:"128" doc:"c:<client id> or p:<connection>:<user id>"`
	Hours   int    `query:"hours" minimum:"1" maximum:"168" default:"24" doc:"How many of the last hours to tell"`
}

type pageInput struct{ httpapi.PageQuery }

// EntryPath names an entry of the allow-list.
type EntryPath struct {
	ID string `path:"id" maxLength:"64"`
}

// NewEntry is what is put on the allow-list.
type NewEntry struct {
	Kind  string     `json:"kind" enum:"user,asn" doc:"user: a user_ref; asn: the number of a network"`
	Value string     `json:"value" minLength:"1" maxLength:"128"`
	Note  string     `json:"note,omitempty" maxLength:"500" doc:"Why, for those who read it later"`
	Until *time.Time `json:"until,omitempty" doc:"When it ends by itself; left out: never"`
}

type allowInput struct{ Body NewEntry }

func (h *handlers) signals(ctx context.Context, in *signalsInput) (*body[httpapi.Page[views.Signal]], error) {
	page, err := h.views.Signals(ctx, views.SignalFilter{
		PageQuery: in.PageQuery, Kind: in.Kind, UserRef: in.UserRef, NodeID: in.NodeID, FlowID: in.FlowID,
		DetectedBy: in.DetectedBy, MinConfidence: in.MinConfidence, From: in.From, To: in.To, Allowed: in.Allowed,
	})
	return &body[httpapi.Page[views.Signal]]{page}, err
}

func (h *handlers) diversity(ctx context.Context, in *diversityInput) (*body[views.Diversity], error) {
	ref, err := url.PathUnescape(in.UserRef)
	if err != nil {
		return nil, fault.Missing(fault.NoSuchThing)
	}
	found, err := h.views.User(ctx, ref, in.Hours)
	return &body[views.Diversity]{found}, err
}

func (h *handlers) agents(ctx context.Context, in *pageInput) (*body[httpapi.Page[views.Agent]], error) {
	page, err := h.views.Agents(ctx, in.PageQuery)
	return &body[httpapi.Page[views.Agent]]{page}, err
}

func (h *handlers) allowed(ctx context.Context, in *pageInput) (*body[httpapi.Page[Entry]], error) {
	page, err := h.list.page(ctx, in.PageQuery)
	return &body[httpapi.Page[Entry]]{page}, err
}

func (h *handlers) allow(ctx context.Context, in *allowInput) (*body[Entry], error) {
	entry, err := h.list.add(ctx, in.Body)
	return &body[Entry]{entry}, err
}

func (h *handlers) disallow(ctx context.Context, in *EntryPath) (*struct{}, error) {
	return nil, h.list.remove(ctx, in.ID)
}

type casesInput struct {
	httpapi.PageQuery
	State       string `query:"state" enum:"open,dismissed,actioned,expired"`
	Recommended string `query:"recommended" enum:"none,monitor,warn,soft_block,temp_block,hard_block"`
	UserRef     string `query:"user_ref" maxLength:"128" doc:"c:<client id> or p:<connection>:<user id>"`
	NodeID      string `query:"node_id" maxLength:"64" doc:"Whose agent saw something"`
	MinScore    int    `query:"min_score" minimum:"0" maximum:"10000"`
	Q           string `query:"q" maxLength:"200" doc:"Part of the user's name or user_ref, or the number of the case"`
}

// CasePath names a case.
type CasePath struct {
	ID string `path:"id" maxLength:"64"`
}

type caseChangeInput struct {
	CasePath
	IfMatch string `header:"If-Match" maxLength:"32"`
	Body    cases.Change
}

// NewNote is what somebody writes about a case.
type NewNote struct {
	Text string `json:"text" minLength:"1" maxLength:"2000"`
}

type noteInput struct {
	CasePath
	Body NewNote
}

func (h *handlers) listCases(ctx context.Context, in *casesInput) (*body[httpapi.Page[cases.Line]], error) {
	page, err := h.cases.Page(ctx, cases.Filter{
		PageQuery: in.PageQuery, State: in.State, Recommended: in.Recommended, UserRef: in.UserRef, NodeID: in.NodeID,
		MinScore: in.MinScore, Q: in.Q,
	})
	return &body[httpapi.Page[cases.Line]]{page}, err
}

func (h *handlers) oneCase(ctx context.Context, in *CasePath) (*body[cases.Case], error) {
	found, err := h.cases.Get(ctx, in.ID)
	return &body[cases.Case]{found}, err
}

func (h *handlers) changeCase(ctx context.Context, in *caseChangeInput) (*body[cases.Case], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err != nil {
		return nil, err
	}
	found, err := h.cases.Change(ctx, in.ID, revision, in.Body)
	return &body[cases.Case]{found}, err
}

func (h *handlers) addNote(ctx context.Context, in *noteInput) (*body[cases.Case], error) {
	found, err := h.cases.Note(ctx, in.ID, in.Body.Text)
	return &body[cases.Case]{found}, err
}
