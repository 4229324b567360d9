// Package remnawave reads a profile of Remnawave, a whole configuration of Xray without clients, together with the
// users and the squads that say who may use which of its listeners.
package remnawave

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/xray"
)

// Format names the source.
const Format = "remnawave"

var errNone = errors.New("there is no configuration in the profile")

// document is a profile by itself, or with users and squads, each as the API answers or as a bare list.
type document struct {
	Profile json.RawMessage `json:"profile"`
	Users   json.RawMessage `json:"users"`
	Squads  json.RawMessage `json:"squads"`
	Hosts   json.RawMessage `json:"hosts"`
}

type profile struct {
	Name   string          `json:"name"`
	Config json.RawMessage `json:"config"`
}

type user struct {
	Username string     `json:"username"`
	ShortID  string     `json:"shortUuid"` // last part of the subscription URL
	Status   string     `json:"status"`
	Limit    float64    `json:"trafficLimitBytes"`
	Strategy string     `json:"trafficLimitStrategy"`
	ExpireAt *time.Time `json:"expireAt"`
	Note     *string    `json:"description"`
	Trojan   string     `json:"trojanPassword"`
	VLESS    string     `json:"vlessUuid"`
	SS       string     `json:"ssPassword"`
	Squads   []struct {
		UUID string `json:"uuid"`
	} `json:"activeInternalSquads"`
	Traffic struct {
		Used float64 `json:"usedTrafficBytes"`
	} `json:"userTraffic"`
}

type squad struct {
	UUID     string `json:"uuid"`
	Inbounds []struct {
		Tag string `json:"tag"`
	} `json:"inbounds"`
}

// Is says whether a document has the form of a profile.
func Is(members map[string]json.RawMessage) bool {
	_, whole := members["profile"]
	_, config := members["config"]
	_, answer := members["response"]
	return whole || config || answer
}

// Read reads a profile. It fails for what is none.
func Read(text []byte) (*foreign.Config, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("read a profile of Remnawave: %w", err)
	}
	if len(d.Profile) == 0 {
		d.Profile = text
	}
	var p profile
	if err := json.Unmarshal(answered(d.Profile), &p); err != nil || len(p.Config) == 0 {
		return nil, errors.Join(errNone, err)
	}
	out, err := xray.Read(p.Config)
	if err != nil {
		return nil, fmt.Errorf("read the configuration of a profile: %w", err)
	}
	out.Format = Format
	if len(d.Hosts) > 0 {
		out.Note("hosts", foreign.SectionLeftOut, "", "hosts")
	}
	if err := addUsers(out, &d); err != nil {
		return nil, err
	}
	out.NoteShared()
	return out, nil
}

// answered takes the answer of the API out of what it is wrapped in.
func answered(text json.RawMessage) json.RawMessage {
	var wrapped struct {
		Response json.RawMessage `json:"response"`
	}
	if json.Unmarshal(text, &wrapped) == nil && len(wrapped.Response) > 0 {
		return wrapped.Response
	}
	return text
}

// listed reads a list by itself, or the member of an answer that holds it.
func listed[T any](text json.RawMessage, member string) ([]T, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	text = answered(text)
	members := map[string]json.RawMessage{}
	if json.Unmarshal(text, &members) == nil {
		text = members[member]
	}
	var all []T
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read the %s of Remnawave: %w", member, err)
	}
	return all, nil
}

// addUsers gives the entries their users: with squads those of the squads that have the entry, else all of them.
func addUsers(out *foreign.Config, d *document) error {
	raws, err := listed[json.RawMessage](d.Users, "users")
	if err != nil || len(raws) == 0 {
		return err
	}
	users := make([]user, len(raws))
	for i, raw := range raws {
		if json.Unmarshal(raw, &users[i]) != nil {
			users[i] = user{} // in no squad, without a secret
			out.Note(fmt.Sprintf("users[%d]", i), foreign.NotReadable, "", "")
		}
	}
	squads, err := listed[squad](d.Squads, "internalSquads")
	if err != nil {
		return err
	}
	defer func() {
		out.Findings = slices.DeleteFunc(out.Findings, func(f foreign.Finding) bool {
			return f.Code == foreign.NoClients && slices.ContainsFunc(out.Entries, func(e foreign.Entry) bool {
				return e.Key == f.Entry && len(e.Clients) > 0
			})
		})
	}()
	for i := range out.Entries {
		e := &out.Entries[i]
		if e.Listener.Flow == "none" || e.Listener.Flow == "" && e.Listener.Transport == "raw" &&
			e.Listener.Protocol == "vless" {
			e.Listener.Flow = vision // Remnawave gives it to each user where the listener can
		}
		admitted := admits(squads, e.Key)
		for j := range users {
			if admitted != nil && !users[j].in(admitted) {
				continue
			}
			if out.Clients >= foreign.MaxClients {
				out.Note(fmt.Sprintf("users[%d]", j), foreign.TooMany, e.Key, "")
				return nil
			}
			if c, ok := users[j].client(e.Listener); ok {
				out.TakeSubscription(&c, users[j].ShortID, fmt.Sprintf("users[%d].shortUuid", j), e.Key)
				e.Clients = append(e.Clients, c)
				out.Clients++
			} else {
				out.Note(fmt.Sprintf("users[%d]", j), foreign.ClientNoSecret, e.Key, users[j].Username)
			}
		}
	}
	return nil
}

const vision = "xtls-rprx-vision"

// admits gives the squads that may use an entry; nil when nobody said so.
func admits(squads []squad, tag string) []string {
	if squads == nil {
		return nil
	}
	out := []string{}
	for _, s := range squads {
		for _, in := range s.Inbounds {
			if foreign.Clean(in.Tag, foreign.MaxLabel) == tag {
				out = append(out, s.UUID)
			}
		}
	}
	return out
}

func (u *user) in(squads []string) bool {
	for _, s := range u.Squads {
		if slices.Contains(squads, s.UUID) {
			return true
		}
	}
	return false
}

// client is the user with the secret that the protocol wants.
func (u *user) client(l *foreign.Listener) (foreign.Client, bool) {
	const most, longest = 1<<53 - 1, 128
	c := foreign.Client{
		Label: foreign.Clean(u.Username, foreign.MaxLabel), Disabled: u.Status == "DISABLED",
		ExpiresAt: u.ExpireAt, Down: int64(min(max(u.Traffic.Used, 0), most)),
	}
	if u.Note != nil {
		c.Note = foreign.Clean(*u.Note, foreign.MaxNote)
	}
	if u.Limit >= 1 && u.Limit <= most {
		c.Quota = int64(u.Limit)
		c.Reset = map[string]string{
			"DAY": "daily", "WEEK": "weekly", "MONTH": "monthly", "MONTH_ROLLING": "monthly",
		}[u.Strategy]
	}
	id, err := uuid.Parse(u.VLESS)
	switch l.Protocol {
	case "vless", "vmess":
		c.UUID = id.String()
		return c, c.Label != "" && err == nil
	case "trojan", "hysteria2":
		c.Password = u.Trojan
		if l.Protocol == "hysteria2" {
			c.Password = u.VLESS // Remnawave authenticates Hysteria by the id
		}
	default:
		c.Key = []byte(u.SS)
		if raw, err := base64.StdEncoding.DecodeString(u.SS); err == nil && len(raw) == keySizes[l.Method] {
			c.Key = raw
		}
		return c, c.Label != "" && len(c.Key) == keySizes[l.Method]
	}
	return c, c.Label != "" && c.Password != "" && foreign.Clean(c.Password, longest) == c.Password
}

var keySizes = map[string]int{"2022-blake3-aes-128-gcm": 16, "2022-blake3-aes-256-gcm": 32}
