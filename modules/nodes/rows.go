package nodes

import (
	"time"

	"github.com/uptrace/bun"

	"panel/modules/nodes/internal/evidence"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

// nodeRow is what the operator says about a node and what the panel wants of it.
type nodeRow struct {
	bun.BaseModel `bun:"table:nodes,alias:n"`

	ID                 string     `bun:"id,pk,type:uuid"`
	Name               string     `bun:"name"`
	NameKey            string     `bun:"name_key"`
	Address            string     `bun:"address"`
	IPs                []NodeIP   `bun:"ips,type:jsonb"`
	CountryCode        string     `bun:"country_code"`
	Region             string     `bun:"region"`
	City               string     `bun:"city"`
	ProviderID         *string    `bun:"provider_id"`
	ProviderServerRef  string     `bun:"provider_server_ref"`
	Roles              []string   `bun:"roles,array"`
	Tags               []string   `bun:"tags,array"`
	Note               string     `bun:"note"`
	Disabled           bool       `bun:"disabled"`
	Maintenance        bool       `bun:"maintenance"`
	MaintenanceUntil   *time.Time `bun:"maintenance_until"`
	MaintenanceReason  string     `bun:"maintenance_reason"`
	EnrolledAt         *time.Time `bun:"enrolled_at"`
	AgentAccess        string     `bun:"agent_access"`
	TokenID            *string    `bun:"token_id,type:uuid"`
	PreviousValidUntil *time.Time `bun:"previous_valid_until"`
	DesiredRevision    int64      `bun:"desired_revision"`
	DesiredHash        string     `bun:"desired_hash"`
	DesiredCore        bool       `bun:"desired_core"`
	DesiredAt          *time.Time `bun:"desired_at"`
	AnnouncedState     string     `bun:"announced_state"`
	ListedState        string     `bun:"listed_state,nullzero,default:'pending'"`
	StateSince         time.Time  `bun:"state_since,nullzero,default:now()"`
	TrafficLimit       *int64     `bun:"traffic_limit"`
	TrafficResetDay    int        `bun:"traffic_reset_day,nullzero,default:1"`
	TrafficNotifyPct   int        `bun:"traffic_notify_pct,nullzero,default:80"`
	CreatedAt          time.Time  `bun:"created_at"`
	UpdatedAt          time.Time  `bun:"updated_at"`
	Revision           int64      `bun:"revision"`
}

// What an agent's access can be.
const (
	accessNone    = "none"
	accessGranted = "granted"
	accessRevoked = "revoked"
)

// viewRow is a node beside its evidence, with the state that follows from both.
type viewRow struct {
	nodeRow

	SeenAt       *time.Time          `bun:"seen_at"`
	CoreState    string              `bun:"core_state"`
	ConfigHash   string              `bun:"config_hash"`
	Cloned       bool                `bun:"cloned"`
	Report       *evidence.Report    `bun:"report,type:jsonb"`
	HostFacts    *evidence.HostFacts `bun:"surroundings,type:jsonb"`
	Metrics      *agentapi.Sample    `bun:"metrics,type:jsonb"`
	Carried      *nodesapi.Reading   `bun:"carried,type:jsonb"`
	ConfigResult *ConfigState        `bun:"config_result,type:jsonb"`
	UsedUp       int64               `bun:"used_up"`
	UsedDown     int64               `bun:"used_down"`
	UsedSince    *time.Time          `bun:"used_since"`
	State        string              `bun:"state"`
	SortKey      string              `bun:"sort_key"`
}

type tokenRow struct {
	bun.BaseModel `bun:"table:enrollment_tokens"`

	ID         string     `bun:"id,pk,type:uuid"`
	TokenHash  []byte     `bun:"token_hash"`
	Kind       string     `bun:"kind"`
	Label      string     `bun:"label"`
	ExpiresAt  time.Time  `bun:"expires_at"`
	UsageLimit *int       `bun:"usage_limit"`
	UsedCount  int        `bun:"used_count"`
	AutoTags   []string   `bun:"auto_tags,array"`
	BindNodeID *string    `bun:"bind_node_id,type:uuid"`
	RevokedAt  *time.Time `bun:"revoked_at"`
	LastUsedAt *time.Time `bun:"last_used_at"`
	CreatedBy  string     `bun:"created_by"`
	CreatedAt  time.Time  `bun:"created_at"`
	SortKey    string     `bun:"sort_key,scanonly"`
}
