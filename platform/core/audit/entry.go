package audit

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"panel/platform/audit"
	"panel/platform/places"
)

// Entry is one line of the journal.
type Entry struct {
	ID        string                  `json:"id"`
	At        time.Time               `json:"at"`
	Actor     Actor                   `json:"actor"`
	Action    string                  `json:"action"`
	Object    Object                  `json:"object"`
	Result    string                  `json:"result" enum:"ok,denied,failed"`
	IP        string                  `json:"ip"`
	Place     *places.Place           `json:"place" doc:"Where the address is now; null when no database of places knows it"`
	UserAgent string                  `json:"user_agent"`
	RequestID string                  `json:"request_id"`
	Changes   map[string]audit.Change `json:"changes" doc:"Fields before and after; secrets are only ever set or unset"`
	Count     int                     `json:"count" doc:"How often; more than 1 for refused requests of one minute"`
	Seq       *int64                  `json:"seq" doc:"Number in the chain; null for the moment until it is sealed"`
	HashPrev  *string                 `json:"hash_prev"`
	Hash      *string                 `json:"hash"`
}

// Actor is who did it.
type Actor struct {
	Kind string `json:"kind" enum:"admin,agent,system,cli,none"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Object is what it was done to.
type Object struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

func entryOf(row audit.Row, where map[string]*places.Place) Entry {
	entry := Entry{
		ID: row.ID, At: row.At.UTC(), Actor: Actor{row.ActorKind, row.ActorID, row.ActorName}, Action: row.Action,
		Object: Object{row.ObjectType, row.ObjectID, row.ObjectName}, Result: row.Result,
		IP: row.IP, Place: where[row.IP], UserAgent: row.UserAgent, RequestID: row.RequestID,
		Changes: changesOf(row.Changes), Count: row.Count,
	}
	if row.Seq > 0 {
		previous, hash := hex.EncodeToString(row.HashPrev), hex.EncodeToString(row.Hash)
		entry.Seq, entry.HashPrev, entry.Hash = &row.Seq, &previous, &hash
	}
	return entry
}

// changesOf reads also what somebody else wrote into the table.
func changesOf(text string) map[string]audit.Change {
	changes := map[string]audit.Change{}
	if json.Unmarshal([]byte(text), &changes) != nil {
		return map[string]audit.Change{}
	}
	return changes
}
