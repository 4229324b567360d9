package policies

import (
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/policies/internal/rules"
)

// Policy limits what its flows may be.
type Policy struct {
	ID               string        `json:"id"`
	Name             string        `json:"name"`
	Kind             string        `json:"kind" enum:"balancer,routing,limits,security"`
	Rules            []rules.Rule  `json:"rules"`
	AllowedProtocols []string      `json:"allowed_protocols" doc:"Of listeners that clients connect to; any when empty"`
	AllowedPlans     []AllowedPlan `json:"allowed_plans" doc:"Versions of custom plans that its flows may use"`
	CatalogueVersion int           `json:"catalogue_version" doc:"The newest version, which its rules speak of; 0 while there is none"`
	UsedBy           []NamedFlow   `json:"used_by" doc:"The flows that obey it"`
	CreatedAt        time.Time     `json:"created_at"`
	UpdatedAt        time.Time     `json:"updated_at"`
	Revision         int64         `json:"revision"`
}

// copied is a list that JSON writes as one, also without members.
func copied[T any](list []T) []T { return append([]T{}, list...) }

// AllowedPlan is a version of a custom plan that a policy enables.
type AllowedPlan struct {
	PlanVersionID string `json:"plan_version_id"`
	PlanID        string `json:"plan_id"`
	PlanName      string `json:"plan_name"`
	Number        int    `json:"number"`
}

// NamedFlow names a flow.
type NamedFlow struct {
	FlowID   string `json:"flow_id"`
	FlowName string `json:"flow_name"`
}

// NewPolicy is what a policy begins with.
type NewPolicy struct {
	Name             string       `json:"name" minLength:"1" maxLength:"64"`
	Kind             string       `json:"kind" enum:"balancer,routing,limits,security"`
	Rules            []rules.Rule `json:"rules,omitempty" maxItems:"50"`
	AllowedProtocols []string     `json:"allowed_protocols,omitempty" maxItems:"6" doc:"Any when left out"`
}

// PolicyChange is what may change. What is absent stays as it is.
type PolicyChange struct {
	Revision         *int64        `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Name             *string       `json:"name,omitempty" minLength:"1" maxLength:"64"`
	Rules            *[]rules.Rule `json:"rules,omitempty" maxItems:"50" doc:"All of them"`
	AllowedProtocols *[]string     `json:"allowed_protocols,omitempty" maxItems:"6"`
}

// Assignment says which flows obey a policy.
type Assignment struct {
	Revision *int64   `json:"revision,omitempty" doc:"Revision of the policy that the change starts from; or send it as If-Match"`
	FlowIDs  []string `json:"flow_ids" maxItems:"5000" doc:"All of them"`
}

// Content is what a version of the catalogue holds.
type Content struct {
	Sets      []Set    `json:"sets" maxItems:"200" doc:"Sets of names and addresses that ways of drawings choose by"`
	Presets   []Preset `json:"presets" maxItems:"100" doc:"Listeners that the rule presets allows"`
	GeoTokens []string `json:"geo_tokens" maxItems:"2000" doc:"Categories that the rule geo_tokens allows: geosite:ru, geoip:ru"`
}

// Set is a named set of names and addresses.
type Set struct {
	Name        string `json:"name" minLength:"1" maxLength:"40" doc:"a-z, 0-9, dash, underscore"`
	Description string `json:"description,omitempty" maxLength:"200"`

	flowsapi.MatchSet
}

// Preset is a kind of listener. What is left out may be anything.
type Preset struct {
	Name        string `json:"name" minLength:"1" maxLength:"40" doc:"a-z, 0-9, dash, underscore"`
	Description string `json:"description,omitempty" maxLength:"200"`
	Protocol    string `json:"protocol" enum:"vless,trojan,shadowsocks2022,vmess,hysteria2,wireguard"`
	Transport   string `json:"transport,omitempty" enum:"raw,xhttp,grpc,ws,httpupgrade,quic"`
	Security    string `json:"security,omitempty" enum:"none,reality,tls"`
	Flow        string `json:"flow,omitempty" enum:"xtls-rprx-vision"`
}

// Catalogue is a version of the policy catalogue.
type Catalogue struct {
	Version  int        `json:"version" doc:"0 while none was saved"`
	Newest   int        `json:"newest" doc:"The newest version"`
	Outdated int        `json:"outdated" doc:"How many flows run an older snapshot that says something else"`
	Note     string     `json:"note"`
	SavedAt  *time.Time `json:"saved_at"`
	SavedBy  string     `json:"saved_by"`

	Content
}

// NewCatalogue is what a save makes the newest version.
type NewCatalogue struct {
	Revision *int64 `json:"revision,omitempty" doc:"Version that the change starts from; or send it as If-Match"`
	Note     string `json:"note,omitempty" maxLength:"200" doc:"Why, for those who read the versions"`

	Content
}

// CatalogueVersion is one line of the history of the catalogue.
type CatalogueVersion struct {
	Version   int       `json:"version"`
	Note      string    `json:"note"`
	SavedAt   time.Time `json:"saved_at"`
	SavedBy   string    `json:"saved_by"`
	Sets      int       `json:"sets"`
	Presets   int       `json:"presets"`
	GeoTokens int       `json:"geo_tokens"`
}

// OutdatedFlow runs an older snapshot of the catalogue.
type OutdatedFlow struct {
	FlowID           string   `json:"flow_id"`
	FlowName         string   `json:"flow_name"`
	CatalogueVersion int      `json:"catalogue_version" doc:"That it was compiled with"`
	ChangedSets      []string `json:"changed_sets" doc:"Sets that it names and that say something else today"`
}

// Outdated lists the flows that run an older snapshot of the catalogue.
type Outdated struct {
	Newest int            `json:"newest"`
	Items  []OutdatedFlow `json:"items"`
}

// PlanBody is the way out that a version of a custom plan describes.
type PlanBody struct {
	Way      string             `json:"way" enum:"direct,socks,http" doc:"direct: from the node itself; socks, http: through a proxy"`
	Address  string             `json:"address,omitempty" maxLength:"253" doc:"socks, http: name or address of the proxy, as the node reaches it"`
	Port     int                `json:"port,omitempty" minimum:"1" maximum:"65535"`
	User     string             `json:"user,omitempty" maxLength:"128"`
	Family   string             `json:"family,omitempty" enum:"any,ipv4,ipv6" doc:"direct: addresses that the node leaves to; any when left out"`
	Fragment *flowsapi.Fragment `json:"fragment,omitempty" doc:"direct: how the beginning of a connection is split"`
}

// NewPlanBody is a body with its secret.
type NewPlanBody struct {
	PlanBody

	Password *string `json:"password,omitempty" maxLength:"128" writeOnly:"true" doc:"Of the proxy. Left out in a new version: as in the one before, as long as address, port and user stay"`
}

// NewPlan is what a custom plan begins with.
type NewPlan struct {
	Name string      `json:"name" minLength:"1" maxLength:"64"`
	Body NewPlanBody `json:"body"`
}

// NewPlanVersion is what editing a custom plan makes.
type NewPlanVersion struct {
	Revision *int64      `json:"revision,omitempty" doc:"Number of the version that the change starts from; or send it as If-Match"`
	Body     NewPlanBody `json:"body"`
}

// CustomPlan is a way out that an operator has written, with its versions.
type CustomPlan struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Versions  []PlanVersion `json:"versions" doc:"The newest first"`
	CreatedAt time.Time     `json:"created_at"`
	UpdatedAt time.Time     `json:"updated_at"`
}

// PlanVersion is one version of a custom plan. It never changes.
type PlanVersion struct {
	ID          string        `json:"id"`
	Number      int           `json:"number"`
	Body        PlanBody      `json:"body"`
	HasPassword bool          `json:"has_password"`
	SchemaHash  string        `json:"schema_hash" doc:"SHA-256 of the body"`
	EnabledIn   []NamedPolicy `json:"enabled_in_policies" doc:"The policies whose flows may use it; none at first"`
	UsedBy      []PlanUser    `json:"used_by" doc:"Flows that have it in their draft or in what is installed"`
	CreatedAt   time.Time     `json:"created_at"`
	CreatedBy   string        `json:"created_by"`
}

// NamedPolicy names a policy.
type NamedPolicy struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// PlanUser is a flow that has a version of a custom plan.
type PlanUser struct {
	NamedFlow

	Installed bool `json:"installed" doc:"It runs with it; else its draft alone has it"`
}

// Enabling lets the flows of a policy use a version of a custom plan, or does so no more.
type Enabling struct {
	PolicyID string `json:"policy_id" minLength:"1" maxLength:"64"`
	Enabled  *bool  `json:"enabled,omitempty" doc:"true when left out"`
}
