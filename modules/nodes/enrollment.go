package nodes

import "time"

// EnrollmentToken lets agents enrol. The token itself is shown once, when it is made.
type EnrollmentToken struct {
	ID         string     `json:"id" format:"uuid"`
	Kind       string     `json:"kind" enum:"one_off,reusable"`
	Label      string     `json:"label"`
	State      string     `json:"state" enum:"active,used_up,expired,revoked"`
	ExpiresAt  time.Time  `json:"expires_at"`
	UsageLimit *int       `json:"usage_limit" doc:"null = no limit"`
	UsedCount  int        `json:"used_count"`
	AutoTags   []string   `json:"auto_tags"`
	BindNodeID *string    `json:"bind_node_id"`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
	CreatedBy  string     `json:"created_by"`
	CreatedAt  time.Time  `json:"created_at"`
}

// IssuedToken is a fresh enrolment token with what to do with it.
type IssuedToken struct {
	EnrollmentToken
	Token   string  `json:"token" doc:"Shown this once"`
	Install Install `json:"install"`
}

// Install is how a server gets its agent.
type Install struct {
	Command string `json:"command" doc:"One line for a root shell on the server"`
	URL     string `json:"url" doc:"Address of the panel as the agent dials it"`
}
