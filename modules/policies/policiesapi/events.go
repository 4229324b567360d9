// Package policiesapi is what other modules may know of policies, their catalogue and custom plans.
package policiesapi

// Kinds of events. The subject of the first ones is the policy, of the last ones the custom plan.
const (
	EventCreated        = "policy.created" // Data of this and the next three is News
	EventUpdated        = "policy.updated"
	EventDeleted        = "policy.deleted"
	EventAssigned       = "policy.assigned"        // other flows obey the policy now
	EventCatalogueSaved = "policy.catalogue_saved" // CatalogueNews

	EventPlanCreated      = "custom_plan.created" // Data of this and the next ones is PlanNews
	EventPlanVersionAdded = "custom_plan.version_added"
	EventPlanEnabled      = "custom_plan.enabled"  // a policy lets its flows use a version
	EventPlanDisabled     = "custom_plan.disabled" // it does so no more
	EventPlanDeleted      = "custom_plan.deleted"
)

// News names a policy.
type News struct {
	Name string `json:"name"`
}

// CatalogueNews says which version of the catalogue is the newest now.
type CatalogueNews struct {
	Version int `json:"version"`
}

// PlanNews names a version of a custom plan, and the policy that it is about where there is one.
type PlanNews struct {
	Name   string `json:"name"`
	Number int    `json:"number"`
	Policy string `json:"policy,omitempty"`
}
