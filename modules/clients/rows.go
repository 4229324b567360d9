package clients

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/clients/clientsapi"
	"panel/platform/audit"
	"panel/platform/names"
	"panel/platform/vault"
)

// clientRow is a client as the table keeps it.
type clientRow struct {
	bun.BaseModel `bun:"table:client_profiles,alias:c"`

	ID             string     `bun:"id,pk,type:uuid"`
	Label          string     `bun:"label"`
	LabelKey       *string    `bun:"label_key"` // see clientName
	Note           string     `bun:"note"`
	Tags           []string   `bun:"tags,array"`
	OwnerID        string     `bun:"owner_id"`
	Enabled        bool       `bun:"enabled"`
	ExpiresAt      *time.Time `bun:"expires_at"`
	ExpiryToldAt   *time.Time `bun:"expiry_told_at"` // when the end of its time was made known
	LastsDays      *int       `bun:"lasts_days"`     // from its next use; nil: its time has begun, or has no end
	LastsFrom      *time.Time `bun:"lasts_from"`     // when it had last been seen as that was decided
	PublicHash     []byte     `bun:"public_hash"`
	PublicIssuedAt *time.Time `bun:"public_issued_at"`
	RevokedAt      *time.Time `bun:"revoked_at"`
	QuotaBytes     *int64     `bun:"quota_bytes"`
	QuotaReset     string     `bun:"quota_reset"`
	QuotaToldAt    *time.Time `bun:"quota_told_at"` // when it was made known that the quota is reached
	Limits         `bun:"embed:"`
	UsedSince      time.Time  `bun:"used_since"`
	UsedUp         int64      `bun:"used_up"` // since then
	UsedDown       int64      `bun:"used_down"`
	TotalUp        int64      `bun:"total_up"`
	TotalDown      int64      `bun:"total_down"`
	LastSeenAt     *time.Time `bun:"last_seen_at"`
	Unshared       bool       `bun:"unshared"` // what agents may let it use of its quota is to be looked at
	Revision       int64      `bun:"revision"`
	CreatedAt      time.Time  `bun:"created_at"`
	UpdatedAt      time.Time  `bun:"updated_at"`
}

// accessRow is what a client has on one flow.
type accessRow struct {
	bun.BaseModel `bun:"table:client_flows,alias:a"`

	ClientID   string     `bun:"client_id,pk,type:uuid"`
	FlowID     string     `bun:"flow_id,pk,type:uuid"`
	Secret     string     `bun:"secret"`
	Moved      bool       `bun:"moved"` // the secret is sealed for the table that it came from
	Generation int        `bun:"generation"`
	Number     int64      `bun:"number,scanonly"` // given by the database for good
	Installed  bool       `bun:"installed"`
	Listed     *int64     `bun:"listed"` // the revision of the flow's list since which it is there; nil: it is not
	ByApply    bool       `bun:"by_apply,scanonly"`
	Elsewhere  bool       `bun:"elsewhere,scanonly"`
	Up         int64      `bun:"up"`
	Down       int64      `bun:"down"`
	CreatedAt  time.Time  `bun:"created_at"`
	RevokedAt  *time.Time `bun:"revoked_at"`
}

// ref is the Ref of the access, as accessRef makes it.
func (r *accessRow) ref() string {
	if r.Generation > 1 {
		return r.ClientID + "/" + strconv.Itoa(r.Generation)
	}
	return r.ClientID
}

const (
	// clientName is searched and sorted by, because a database of the locale C folds the case of ASCII alone.
	clientName = `(coalesce(c.label_key, lower(c.label)) collate "C")`
	// accessRef is the Ref of an access.
	accessRef = `(a.client_id::text || case when a.generation > 1 then '/' || a.generation::text else '' end)`
)

// stateAt is the state of a client at a moment, which stands for the question mark.
const stateAt = `(case when c.revoked_at is not null then 'revoked' when not c.enabled then 'disabled'
	when c.expires_at <= ? then 'expired' when c.used_up + c.used_down >= c.quota_bytes then 'spent' else 'active' end)`

// activeNow is the state active of a client, by the clock of the database.
const activeNow = `(c.revoked_at is null and c.enabled and coalesce(c.expires_at > now(), true)
	and coalesce(c.used_up + c.used_down < c.quota_bytes, true))`

// useStateAt is the state of a client on one of its flows at a moment, which stands for the question mark.
const useStateAt = `(case when a.revoked_at is not null then 'revoked' else ` + stateAt + ` end)`

// labelled gives the client a label and the key under which it is found.
func (r *clientRow) labelled(label string) {
	key := names.SearchKey(label)
	r.Label, r.LabelKey = label, &key
}

func (r *clientRow) object() audit.Object { return audit.Object{Type: object, ID: r.ID, Name: r.Label} }

// state is that of the client at a moment.
func (r *clientRow) state(now time.Time) string {
	switch {
	case r.RevokedAt != nil:
		return clientsapi.Revoked
	case !r.Enabled:
		return clientsapi.Disabled
	case r.ExpiresAt != nil && !r.ExpiresAt.After(now):
		return clientsapi.Expired
	case r.QuotaBytes != nil && r.UsedUp+r.UsedDown >= *r.QuotaBytes:
		return clientsapi.Spent
	}
	return clientsapi.Active
}

// onlineFor is how long a client is taken to be there after it has carried something: agents report it within a minute,
// and the panel counts each minute.
const onlineFor = 3 * time.Minute

func (r *clientRow) online(now time.Time) bool {
	return r.LastSeenAt != nil && now.Sub(*r.LastSeenAt) < onlineFor
}

// formerTable is where secrets stood while a client belonged to one flow.
const formerTable = "flow_clients"

// secret is what an access keeps sealed.
type secret struct {
	UUID string `json:"uuid"`
	Key  []byte `json:"key"`

	Password string `json:"password,omitempty"` // that the client came with, where a protocol asks for one
}

func (r *accessRow) place() vault.Ref {
	if r.Moved {
		return vault.Ref{Table: formerTable, ID: r.ClientID, Column: "secret"}
	}
	return vault.Ref{Table: "client_flows", ID: r.ClientID + "/" + r.FlowID, Column: "secret"}
}

func (r *accessRow) seal(v *vault.Vault, s secret) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode a client's secret: %w", err)
	}
	r.Secret = v.Seal(r.place(), raw)
	return nil
}

func (r *accessRow) open(v *vault.Vault) (s secret, err error) {
	raw, err := v.Open(r.place(), r.Secret)
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return secret{}, fmt.Errorf("open the secret of client %s: %w", r.ClientID, err)
	}
	return s, nil
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	moved := at.UTC()
	return &moved
}
