package remnawave

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Kinds of objects that a panel has beside its users.
const (
	KindNode    = "node"
	KindProfile = "profile"
	KindInbound = "inbound"
	KindHost    = "host"
	KindSquad   = "squad"
)

// Kinds are all of them, in the order that they are read in.
func Kinds() []string { return []string{KindNode, KindProfile, KindInbound, KindHost, KindSquad} }

// Listed is an object with what is taken of it. ParentID is empty where the kind has no parent.
type Listed struct {
	ID, Name, ParentID string
	Fields             any
}

// List gives all objects of a kind. A list that is not whole is no list: what misses its members, counts other than it
// says, or names one without an id, is an error. Error: *Problem.
func (c *Client) List(ctx context.Context, kind string) ([]Listed, error) {
	switch kind {
	case KindNode:
		return list(ctx, c, "/nodes", func(all []node) ([]node, number) { return all, number(len(all)) })
	case KindProfile:
		type answer struct {
			Total    number    `json:"total"`
			Profiles []profile `json:"configProfiles"`
		}
		return list(ctx, c, "/config-profiles", func(a answer) ([]profile, number) { return a.Profiles, a.Total })
	case KindInbound:
		type answer struct {
			Total    number    `json:"total"`
			Inbounds []inbound `json:"inbounds"`
		}
		whole := func(a answer) ([]inbound, number) { return a.Inbounds, a.Total }
		return list(ctx, c, "/config-profiles/inbounds", whole)
	case KindHost:
		return list(ctx, c, "/hosts", func(all []host) ([]host, number) { return all, number(len(all)) })
	}
	type answer struct {
		Total  number  `json:"total"`
		Squads []squad `json:"internalSquads"`
	}
	return list(ctx, c, "/internal-squads", func(a answer) ([]squad, number) { return a.Squads, a.Total })
}

// ListedNode gives one node as a list would hold it. Error: *Problem, of status 404 where there is none.
func (c *Client) ListedNode(ctx context.Context, id string) (Listed, error) {
	var one node
	if _, err := c.call(ctx, http.MethodGet, "/nodes/"+id, nil, &one); err != nil {
		return Listed{}, err
	}
	if idOf(line(one.ID)) != id {
		return Listed{}, &Problem{Cause: AnswerUnreadable, Status: http.StatusOK, Detail: "it is another node"}
	}
	one.ID = id
	return one.listed(), nil
}

type listable interface{ listed() Listed }

func list[A any, T listable](
	ctx context.Context, c *Client, path string, whole func(A) (all []T, total number),
) ([]Listed, error) {
	var answer A
	if _, err := c.call(ctx, http.MethodGet, path, nil, &answer); err != nil {
		return nil, err
	}
	all, total := whole(answer)
	if all == nil || int(total) != len(all) {
		return nil, &Problem{Cause: AnswerUnreadable, Status: http.StatusOK, Detail: "the list is not whole"}
	}
	found, seen := make([]Listed, 0, len(all)), map[string]bool{}
	for _, one := range all {
		object := one.listed()
		if uuid.Validate(object.ID) != nil {
			return nil, &Problem{Cause: AnswerUnreadable, Status: http.StatusOK, Detail: "an object has no id"}
		}
		if object.ID = strings.ToLower(object.ID); !seen[object.ID] {
			found, seen[object.ID] = append(found, object), true
		}
	}
	return found, nil
}

// reference is an object that stands in another one.
type reference struct {
	ID line `json:"uuid"`
}

// idsOf are those of objects in another one, sorted so that their order is no change.
func idsOf(all []reference) []string {
	ids := make([]string, 0, len(all))
	for _, one := range all {
		if uuid.Validate(string(one.ID)) == nil {
			ids = append(ids, strings.ToLower(string(one.ID)))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func linesOf(all []line) []string {
	texts := make([]string, 0, len(all))
	for _, one := range all {
		texts = append(texts, string(one))
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

func sortedIDs(all []line) []string {
	ids := make([]reference, 0, len(all))
	for _, one := range all {
		ids = append(ids, reference{one})
	}
	return idsOf(ids)
}

func idOf(text line) string {
	if uuid.Validate(string(text)) != nil {
		return ""
	}
	return strings.ToLower(string(text))
}

type node struct {
	ID         string  `json:"uuid"`
	Name       line    `json:"name"`
	Address    line    `json:"address"`
	Port       *number `json:"port"`
	Connected  bool    `json:"isConnected"`
	Connecting bool    `json:"isConnecting"`
	Disabled   bool    `json:"isDisabled"`
	Message    line    `json:"lastStatusMessage"`
	Country    line    `json:"countryCode"`
	Online     number  `json:"usersOnline"`
	Used       number  `json:"trafficUsedBytes"`
	Limit      number  `json:"trafficLimitBytes"`
	Tags       []line  `json:"tags"`
	Versions   struct {
		Core  line `json:"xray"`
		Agent line `json:"node"`
	} `json:"versions"`
	Profile struct {
		ID     line        `json:"activeConfigProfileUuid"`
		Active []reference `json:"activeInbounds"`
	} `json:"configProfile"`
}

func (n node) listed() Listed {
	fields := NodeFields{
		Address: string(n.Address), Connected: n.Connected, Connecting: n.Connecting, Disabled: n.Disabled,
		Message: string(n.Message), Country: string(n.Country), UsersOnline: int64(n.Online),
		TrafficUsed: int64(n.Used), TrafficLimit: int64(n.Limit),
		CoreVersion: string(n.Versions.Core), AgentVersion: string(n.Versions.Agent),
		ProfileID: idOf(n.Profile.ID), ActiveInbounds: idsOf(n.Profile.Active), Tags: linesOf(n.Tags),
	}
	if n.Port != nil && n.Port.port() > 0 {
		port := n.Port.port()
		fields.Port = &port
	}
	return Listed{ID: n.ID, Name: string(n.Name), Fields: fields}
}

type profile struct {
	ID       string          `json:"uuid"`
	Name     line            `json:"name"`
	Config   json.RawMessage `json:"config"`
	Inbounds []reference     `json:"inbounds"`
	Nodes    []reference     `json:"nodes"`
}

func (p profile) listed() Listed {
	return Listed{ID: p.ID, Name: string(p.Name), Fields: ProfileFields{
		Sum: SumOf(p.Config), Inbounds: idsOf(p.Inbounds), Nodes: idsOf(p.Nodes),
	}}
}

// SumOf tells a configuration from another one: the order of its members and its spaces are no difference.
func SumOf(config json.RawMessage) string {
	var value any
	if json.Unmarshal(config, &value) != nil {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

type inbound struct {
	ID       string `json:"uuid"`
	Profile  line   `json:"profileUuid"`
	Tag      line   `json:"tag"`
	Protocol line   `json:"type"`
	Network  line   `json:"network"`
	Security line   `json:"security"`
	Port     number `json:"port"`
	Squads   []line `json:"activeSquads"`
}

func (i inbound) listed() Listed {
	return Listed{ID: i.ID, Name: string(i.Tag), ParentID: idOf(i.Profile), Fields: InboundFields{
		Protocol: string(i.Protocol), Network: string(i.Network), Security: string(i.Security), Port: i.Port.port(),
		Squads: sortedIDs(i.Squads),
	}}
}

type host struct {
	ID          string `json:"uuid"`
	Remark      line   `json:"remark"`
	Address     line   `json:"address"`
	Port        number `json:"port"`
	SNI         line   `json:"sni"`
	Host        line   `json:"host"`
	Path        line   `json:"path"`
	ALPN        line   `json:"alpn"`
	Fingerprint line   `json:"fingerprint"`
	Security    line   `json:"securityLayer"`
	Disabled    bool   `json:"isDisabled"`
	Hidden      bool   `json:"isHidden"`
	Nodes       []line `json:"nodes"`
	Tags        []line `json:"tags"`
	Inbound     struct {
		Profile line `json:"configProfileUuid"`
		ID      line `json:"configProfileInboundUuid"`
	} `json:"inbound"`
}

func (h host) listed() Listed {
	return Listed{ID: h.ID, Name: string(h.Remark), ParentID: idOf(h.Inbound.ID), Fields: HostFields{
		Address: string(h.Address), Port: h.Port.port(), SNI: string(h.SNI), Host: string(h.Host), Path: string(h.Path),
		ALPN: string(h.ALPN), Fingerprint: string(h.Fingerprint), Security: string(h.Security), Disabled: h.Disabled,
		Hidden: h.Hidden, ProfileID: idOf(h.Inbound.Profile), Nodes: sortedIDs(h.Nodes), Tags: linesOf(h.Tags),
	}}
}

type squad struct {
	ID       string      `json:"uuid"`
	Name     line        `json:"name"`
	Inbounds []reference `json:"inbounds"`
	Info     struct {
		Members number `json:"membersCount"`
	} `json:"info"`
}

func (s squad) listed() Listed {
	return Listed{ID: s.ID, Name: string(s.Name), Fields: SquadFields{
		Members: int64(s.Info.Members), Inbounds: idsOf(s.Inbounds),
	}}
}
