package pools

import (
	"cmp"
	"context"
	"time"

	"panel/platform/agentapi"
	"panel/platform/httpapi"
)

// handlers read the request, ask the pools and shape the answer.
type handlers struct{ pools *pools }

func newHandlers(p *pools) *handlers { return &handlers{pools: p} }

type body[T any] struct{ Body T }

type listInput struct {
	httpapi.PageQuery
	Query        string `query:"q" maxLength:"64" doc:"A part of the name"`
	NodeID       string `query:"node_id" format:"uuid" doc:"Only pools with this node as a member"`
	BelowMinimum bool   `query:"below_minimum" doc:"Only pools with too few usable members, or whose fallback carries traffic"`
}

// PoolPath names a pool in a path.
type PoolPath struct {
	ID string `path:"id" maxLength:"64"`
}

// Health says how the members of a pool are probed.
type Health struct {
	ProbeURL         string `json:"probe_url,omitempty" maxLength:"500" doc:"What each member must reach; https://www.gstatic.com/generate_204 when left out"`
	IntervalS        int    `json:"interval_s,omitempty" minimum:"10" maximum:"3600" doc:"10 when left out"`
	TimeoutS         int    `json:"timeout_s,omitempty" minimum:"1" maximum:"60" doc:"3 when left out"`
	FailureThreshold int    `json:"failure_threshold,omitempty" minimum:"1" maximum:"20" doc:"Failures in a row that take a member out; 2 when left out. A refused connection counts at once"`
	SuccessThreshold int    `json:"success_threshold,omitempty" minimum:"1" maximum:"20" doc:"Successes in a row that take it in again; 2 when left out"`
	Sampling         int    `json:"sampling,omitempty" minimum:"1" maximum:"20" doc:"Probes whose mean is the delay of a member; 3 when left out"`
	MaxRTTMs         int    `json:"max_rtt_ms,omitempty" minimum:"0" maximum:"60000" doc:"A slower member is used only while there is no quicker one; 0: none is too slow"`
	Tolerance        int    `json:"tolerance,omitempty" minimum:"0" maximum:"1000" doc:"least_ping: per cent that a member may be slower than the quickest and still be used"`
}

func (h Health) agents() agentapi.PoolHealth {
	return agentapi.PoolHealth{
		ProbeURL: h.ProbeURL, IntervalSeconds: h.IntervalS, TimeoutSeconds: h.TimeoutS,
		FailureThreshold: h.FailureThreshold, SuccessThreshold: h.SuccessThreshold, Sampling: h.Sampling,
		MaxRTTMillis: h.MaxRTTMs, Tolerance: h.Tolerance,
	}
}

// filled puts the defaults in.
func (h Health) filled() Health {
	f := h.agents().Filled()
	return Health{
		ProbeURL: f.ProbeURL, IntervalS: f.IntervalSeconds, TimeoutS: f.TimeoutSeconds,
		FailureThreshold: f.FailureThreshold, SuccessThreshold: f.SuccessThreshold, Sampling: f.Sampling,
		MaxRTTMs: f.MaxRTTMillis, Tolerance: f.Tolerance,
	}
}

// Fallback takes over when no member is usable.
type Fallback struct {
	Kind   string `json:"kind" enum:"block,direct,member,pool" doc:"direct: traffic leaves from the sending node itself, with its own address"`
	NodeID string `json:"node_id,omitempty" maxLength:"64" doc:"member: the node of the member that is used whatever its state"`
	FlowID string `json:"flow_id,omitempty" maxLength:"64" doc:"member: its flow, where it is one"`
	PoolID string `json:"pool_id,omitempty" maxLength:"64" doc:"pool: the pool that takes over"`
}

func (f Fallback) member() string { return cmp.Or(f.FlowID, f.NodeID) }

func (f Fallback) field() string {
	if f.FlowID != "" {
		return "fallback.flow_id"
	}
	return "fallback.node_id"
}

// NewMember is a node or a flow that a pool may send traffic to.
type NewMember struct {
	NodeID   string `json:"node_id,omitempty" maxLength:"64" doc:"The node; or name a flow"`
	FlowID   string `json:"flow_id,omitempty" maxLength:"64" doc:"The flow: its first entry that is no WireGuard is dialled as it is installed, and its drawing leads the traffic on"`
	Weight   int    `json:"weight,omitempty" minimum:"1" maximum:"1000" doc:"1 when left out"`
	Priority int    `json:"priority,omitempty" minimum:"0" maximum:"1000" doc:"Members of the lowest number are used as long as one of them is usable"`
	Enabled  *bool  `json:"enabled,omitempty" doc:"true when left out"`
	Drain    bool   `json:"drain,omitempty" doc:"It gets no new traffic; what it carries goes on"`
}

// NewPool is what a pool begins with.
type NewPool struct {
	Name       string      `json:"name" minLength:"1" maxLength:"64"`
	Strategy   string      `json:"strategy" enum:"ordered,round_robin,random,least_ping,least_load,least_users,sticky"`
	Stickiness string      `json:"stickiness,omitempty" enum:"none,user,source" doc:"sticky: what a client is known by; user when left out"`
	Members    []NewMember `json:"members" maxItems:"1000"`
	Health     *Health     `json:"health,omitempty"`
	Fallback   *Fallback   `json:"fallback,omitempty" doc:"block when left out"`
	MinHealthy *int        `json:"min_healthy,omitempty" minimum:"0" maximum:"1000" doc:"With fewer usable members people are told; 1 when left out"`
}

type createInput struct{ Body NewPool }

// PoolChange is what may change. What is absent stays as it is.
type PoolChange struct {
	Revision   *int64       `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Name       *string      `json:"name,omitempty" minLength:"1" maxLength:"64"`
	Strategy   *string      `json:"strategy,omitempty" enum:"ordered,round_robin,random,least_ping,least_load,least_users,sticky"`
	Stickiness *string      `json:"stickiness,omitempty" enum:"none,user,source"`
	Members    *[]NewMember `json:"members,omitempty" maxItems:"1000" doc:"All of them"`
	Health     *Health      `json:"health,omitempty" doc:"As a whole"`
	Fallback   *Fallback    `json:"fallback,omitempty"`
	MinHealthy *int         `json:"min_healthy,omitempty" minimum:"0" maximum:"1000"`
}

type changeInput struct {
	PoolPath
	IfMatch string `header:"If-Match"`
	Body    PoolChange
}

// Override leads all new traffic to one member until its end, as long as that member is not down.
type Override struct {
	MemberID string    `json:"member_id"`
	Until    time.Time `json:"until"`
	By       string    `json:"by"`
}

// NewOverride asks for an override.
type NewOverride struct {
	MemberID string `json:"member_id,omitempty" maxLength:"64" doc:"Empty: the override ends"`
	TTLS     int    `json:"ttl_s,omitempty" minimum:"60" maximum:"604800" doc:"Until its end; an hour when left out"`
}

type overrideInput struct {
	PoolPath
	Body NewOverride
}

// Drain says whether a member gets new traffic.
type Drain struct {
	Drain *bool `json:"drain,omitempty" doc:"true when left out"`
}

type drainInput struct {
	PoolPath
	MemberID string `path:"mid" maxLength:"64"`
	Body     Drain
}

func (h *handlers) list(ctx context.Context, in *listInput) (*body[httpapi.Page[PoolSummary]], error) {
	page, err := h.pools.page(ctx, in)
	return &body[httpapi.Page[PoolSummary]]{page}, err
}

func (h *handlers) create(ctx context.Context, in *createInput) (*body[Pool], error) {
	id, err := h.pools.create(ctx, in.Body)
	return h.shown(ctx, id, err)
}

func (h *handlers) get(ctx context.Context, in *PoolPath) (*body[Pool], error) {
	return h.shown(ctx, in.ID, nil)
}

func (h *handlers) change(ctx context.Context, in *changeInput) (*body[Pool], error) {
	revision, err := httpapi.Revision(in.Body.Revision, in.IfMatch)
	if err == nil {
		err = h.pools.change(ctx, in.ID, revision, in.Body)
	}
	return h.shown(ctx, in.ID, err)
}

func (h *handlers) remove(ctx context.Context, in *PoolPath) (*struct{}, error) {
	return nil, h.pools.remove(ctx, in.ID)
}

func (h *handlers) status(ctx context.Context, in *PoolPath) (*body[Status], error) {
	status, err := h.pools.status(ctx, in.ID)
	return &body[Status]{status}, err
}

func (h *handlers) override(ctx context.Context, in *overrideInput) (*body[Pool], error) {
	return h.shown(ctx, in.ID, h.pools.override(ctx, in.ID, in.Body))
}

func (h *handlers) drain(ctx context.Context, in *drainInput) (*body[Pool], error) {
	return h.shown(ctx, in.ID, h.pools.drain(ctx, in.ID, in.MemberID, in.Body.Drain == nil || *in.Body.Drain))
}

func (h *handlers) shown(ctx context.Context, id string, err error) (*body[Pool], error) {
	if err != nil {
		return nil, err
	}
	pool, err := h.pools.get(ctx, id)
	return &body[Pool]{pool}, err
}
