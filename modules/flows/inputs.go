package flows

import (
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/httpapi"
)

type body[T any] struct{ Body T }

type secretBody[T any] struct {
	CacheControl string `header:"Cache-Control"`
	Body         T
}

// FlowPath is the flow that an operation is about.
type FlowPath struct {
	ID string `path:"id"`
}

type listInput struct {
	httpapi.PageQuery
	State  string `query:"state" enum:"draft,compiled,applying,applied,apply_failed,"`
	Tag    string `query:"tag" maxLength:"64"`
	NodeID string `query:"node_id" maxLength:"64"`
	Q      string `query:"q" maxLength:"100" doc:"Part of the name"`
}

type createInput struct {
	Body createBody
}

type createBody struct {
	Name        string       `json:"name" minLength:"3" maxLength:"64"`
	Description string       `json:"description,omitempty" maxLength:"1000"`
	Tags        []string     `json:"tags,omitempty" maxItems:"20"`
	Graph       *graph.Graph `json:"graph,omitempty"`
}

type patchInput struct {
	FlowPath
	IfMatch string `header:"If-Match"`
	Body    patchBody
}

type patchBody struct {
	Revision    int       `json:"revision,omitempty"`
	Name        *string   `json:"name,omitempty" minLength:"3" maxLength:"64"`
	Description *string   `json:"description,omitempty" maxLength:"1000"`
	Tags        *[]string `json:"tags,omitempty" maxItems:"20"`
	OwnerID     *string   `json:"owner_id,omitempty" maxLength:"64" doc:"Hand the flow over; full access only"`
}

type draftInput struct {
	FlowPath
	IfMatch string `header:"If-Match"`
	Body    draftBody
}

type draftBody struct {
	Revision int         `json:"revision,omitempty" doc:"Revision that the change was made on; or send If-Match"`
	Graph    graph.Graph `json:"graph"`

	VersionID string `json:"version_id,omitempty" maxLength:"64" doc:"Version that the drawing is, when one is loaded into the draft"`
}

type previewInput struct {
	FlowPath
	Body *previewBody `required:"false"`
}

type previewBody struct {
	Graph *graph.Graph `json:"graph,omitempty" doc:"Instead of the saved draft"`
}

type planPath struct {
	FlowPath
	PlanID string `path:"plan_id"`
}

type applyInput struct {
	FlowPath
	Wait int `query:"wait" minimum:"0" maximum:"25" default:"10" doc:"Seconds to wait for the end"`
	Body applyBody
}

type applyBody struct {
	ID         string `json:"id" minLength:"1" maxLength:"64" doc:"Plan id"`
	Revision   int    `json:"revision" doc:"Plan revision"`
	ForceApply bool   `json:"force_apply,omitempty" doc:"Accept the risk of unconfirmed readiness"`
}

type applyPath struct {
	FlowPath
	ApplyID string `path:"apply_id"`
}

type pageInput struct {
	FlowPath
	httpapi.PageQuery
}

type clientCreateInput struct {
	FlowPath
	Body clientCreateBody
}

type clientCreateBody struct {
	Label string `json:"label" minLength:"1" maxLength:"64"`
}

type clientPath struct {
	FlowPath
	ClientID string `path:"client_id"`
}

type versionPath struct {
	FlowPath
	VersionID string `path:"version_id"`
}

type versionCreateInput struct {
	FlowPath
	Body versionCreateBody
}

type versionCreateBody struct {
	Note   string `json:"note,omitempty" maxLength:"500"`
	Reason string `json:"reason,omitempty" enum:"manual,import"`
}

type linkInput struct {
	FlowPath
	Body *linkBody `required:"false"`
}

type linkBody struct {
	ClientID string `json:"client_id,omitempty" maxLength:"64" doc:"The first client when left out"`
}

type renderedInput struct {
	FlowPath
	NodeID string `query:"node_id" required:"true" maxLength:"64"`
}

type explainInput struct {
	FlowPath
	Domain   string `query:"domain" maxLength:"253"`
	IP       string `query:"ip" maxLength:"45"`
	Port     int    `query:"port" minimum:"0" maximum:"65535"`
	Protocol string `query:"protocol" enum:"http,tls,quic,bittorrent,"`
}

type (
	flowOutput     = body[Flow]
	draftOutput    = body[Draft]
	planOutput     = body[plan.Plan]
	applyOutput    = body[Apply]
	clientOutput   = body[Client]
	versionOutput  = body[Version]
	snapshotOutput = body[VersionSnapshot]
)
