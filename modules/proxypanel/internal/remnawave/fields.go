package remnawave

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// What is taken of an object of the panel: a closed list for each kind, without credentials, keys or configurations.
// All else is dropped where the answer is read.

// NodeFields are those of a node.
type NodeFields struct {
	Address        string   `json:"address"`
	Port           *int     `json:"port"`
	Connected      bool     `json:"connected"`
	Connecting     bool     `json:"connecting"`
	Disabled       bool     `json:"disabled"`
	Message        string   `json:"message" doc:"What it says of its state, in its own words; may be empty"`
	Country        string   `json:"country" doc:"ISO code; XX: none"`
	UsersOnline    int64    `json:"users_online"`
	TrafficUsed    int64    `json:"traffic_used" doc:"Bytes in its current period"`
	TrafficLimit   int64    `json:"traffic_limit" doc:"Bytes; 0: none"`
	CoreVersion    string   `json:"core_version" doc:"Of Xray; empty: unknown"`
	AgentVersion   string   `json:"agent_version" doc:"Of its node program; empty: unknown"`
	ProfileID      string   `json:"profile_id" doc:"Profile that it runs; empty: none"`
	ActiveInbounds []string `json:"active_inbounds" doc:"Ids of the inbounds that it runs of the profile"`
	Tags           []string `json:"tags"`
}

// ProfileFields are those of a profile. Sum tells one configuration from another without holding it.
type ProfileFields struct {
	Sum      string   `json:"sum" doc:"sha256 of the configuration, in hexadecimal"`
	Inbounds []string `json:"inbounds" doc:"Ids"`
	Nodes    []string `json:"nodes" doc:"Ids of the nodes that run it"`
}

// InboundFields are those of an inbound; its name is its tag, its parent the profile.
type InboundFields struct {
	Protocol string   `json:"protocol"`
	Network  string   `json:"network"`
	Security string   `json:"security"`
	Port     int      `json:"port" doc:"0: its configuration names none or a range"`
	Squads   []string `json:"squads" doc:"Ids of the squads that have it"`
}

// HostFields are those of a host; its name is its remark, its parent the inbound.
type HostFields struct {
	Address     string   `json:"address"`
	Port        int      `json:"port"`
	SNI         string   `json:"sni"`
	Host        string   `json:"host"`
	Path        string   `json:"path"`
	ALPN        string   `json:"alpn"`
	Fingerprint string   `json:"fingerprint"`
	Security    string   `json:"security" doc:"DEFAULT, TLS or NONE"`
	Disabled    bool     `json:"disabled"`
	Hidden      bool     `json:"hidden"`
	ProfileID   string   `json:"profile_id"`
	Nodes       []string `json:"nodes"`
	Tags        []string `json:"tags"`
}

// SquadFields are those of an internal squad.
type SquadFields struct {
	Members  int64    `json:"members"`
	Inbounds []string `json:"inbounds" doc:"Ids"`
}

// User is what is taken of a user.
type User struct {
	ID           int64      `json:"id"`
	Username     string     `json:"username"`
	Status       string     `json:"status"`
	Tag          string     `json:"tag"`
	TrafficLimit int64      `json:"traffic_limit"`
	TrafficUsed  int64      `json:"traffic_used"`
	LifetimeUsed int64      `json:"lifetime_used"`
	ExpiresAt    *time.Time `json:"expires_at"`
	OnlineAt     *time.Time `json:"online_at"`
	LastNodeID   string     `json:"last_node_id"`
	MadeAt       *time.Time `json:"made_at"`
	Squads       []string   `json:"squads"`
}

// number is a count that the panel writes as a number or as a decimal text; what is no count is 0.
type number int64

// UnmarshalJSON never fails, so that one odd figure does not lose a whole list.
func (n *number) UnmarshalJSON(text []byte) error {
	value, err := strconv.ParseFloat(string(bytes.Trim(text, `"`)), 64)
	switch {
	case err != nil || math.IsNaN(value) || value < 0:
		*n = 0
	case value >= math.MaxInt64:
		*n = math.MaxInt64
	default:
		*n = number(value)
	}
	return nil
}

// port is 0 where there is none, a range, or no port.
func (n number) port() int {
	const most = 65535
	if n > most {
		return 0
	}
	return int(n)
}

// line is a text of the panel: one line, cut, and nothing where the panel has something else than a text.
type line string

// UnmarshalJSON never fails.
func (l *line) UnmarshalJSON(text []byte) error {
	var given string
	if json.Unmarshal(text, &given) == nil {
		*l = line(plain(given))
	} else {
		*l = ""
	}
	return nil
}

// moment is a time that may be missing or unreadable.
type moment struct{ at *time.Time }

// UnmarshalJSON never fails.
func (m *moment) UnmarshalJSON(text []byte) error {
	var at time.Time
	if m.at = nil; json.Unmarshal(text, &at) == nil && at.Year() > 1 && at.Year() < 10000 {
		at = at.UTC().Truncate(time.Millisecond)
		m.at = &at
	}
	return nil
}
