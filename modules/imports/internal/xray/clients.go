package xray

import (
	"cmp"
	"crypto/sha1" //nolint:gosec // the core makes ids of texts with it
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/uuid"

	"panel/modules/clients/clientsapi"
	"panel/modules/imports/internal/foreign"
)

// vision is the flow control of VLESS.
const vision = "xtls-rprx-vision"

// client is one of the core, with what other panels keep about it in the same place.
type client struct {
	ID       text   `json:"id"`
	Password text   `json:"password"`
	Auth     text   `json:"auth"`
	Flow     string `json:"flow"`
	Email    string `json:"email"`
	Method   string `json:"method"`

	Enable     *bool   `json:"enable"`
	ExpiryTime float64 `json:"expiryTime"` // milliseconds since 1970; below zero: after the first use
	TotalGB    float64 `json:"totalGB"`    // bytes, whatever its name says
	Reset      float64 `json:"reset"`      // days
	Cycle      string  `json:"trafficReset"`
	SubID      text    `json:"subId"`   // last part of its subscription URL
	LimitIP    float64 `json:"limitIp"` // addresses from which it may connect at a time
	Comment    string  `json:"comment"`
	Up         int64   `json:"panelUp"` // that another panel has counted
	Down       int64   `json:"panelDown"`
}

// mostCounted is the largest number that JSON carries everywhere.
const mostCounted = 1<<53 - 1

// clients adds those of the listener. Its flow control is that of most of them.
func (r *reader) clients(e *foreign.Entry, s *settings) {
	raws := slices.Concat(s.Clients, s.Users)
	parsed, flows := make([]*client, len(raws)), map[string]int{}
	at := func(i int) string {
		if i < len(s.Clients) {
			return fmt.Sprintf(".settings.clients[%d]", i)
		}
		return fmt.Sprintf(".settings.users[%d]", i-len(s.Clients))
	}
	for i, raw := range raws {
		one := new(client)
		if json.Unmarshal(raw, one) != nil {
			r.note(at(i), foreign.NotReadable, "")
			continue
		}
		one.Flow = strings.TrimPrefix(cmp.Or(one.Flow, s.Flow), "none")
		parsed[i] = one
		flows[one.Flow]++
	}
	if e.Listener.Protocol == "vless" && e.Listener.Transport == "raw" {
		e.Listener.Flow = vision
		if flows[vision] < flows[""] {
			e.Listener.Flow = "none"
		}
	}
	for i, one := range parsed {
		if one != nil {
			r.client(e, at(i), i, one)
		}
	}
	if len(e.Clients) == 0 {
		r.note(".settings.clients", foreign.NoClients, "")
	}
}

func (r *reader) client(e *foreign.Entry, at string, index int, one *client) {
	c := foreign.Client{
		Label: foreign.Clean(one.Email, foreign.MaxLabel), Note: foreign.Clean(one.Comment, foreign.MaxNote),
		Disabled: one.Enable != nil && !*one.Enable, ExpiresAt: foreign.Moment(int64(one.ExpiryTime)),
		Up: min(max(one.Up, 0), mostCounted), Down: min(max(one.Down, 0), mostCounted),
	}
	if c.Label == "" {
		c.Label = fmt.Sprintf("%s %d", e.Name, index+1)
	}
	if !secretOf(&c, e.Listener, one) {
		r.note(at, foreign.ClientNoSecret, c.Label)
		return
	}
	if wanted := strings.TrimPrefix(e.Listener.Flow, "none"); e.Listener.Protocol == "vless" && one.Flow != wanted {
		r.note(at+".flow", foreign.ClientOtherFlow, c.Label)
	}
	if c.LastsDays = daysFromFirstUse(one.ExpiryTime); c.LastsDays > clientsapi.MostDays {
		c.LastsDays = 0
		r.note(at+".expiryTime", foreign.TimeTooLong, c.Label)
	}
	c.Addresses = int(min(max(one.LimitIP, 0), clientsapi.MostAddresses))
	r.quota(&c, at, one)
	r.out.TakeSubscription(&c, string(one.SubID), r.path+at+".subId", r.key)
	e.Clients = append(e.Clients, c)
}

// daysFromFirstUse reads a time that begins with the first use, which is written as less than nothing. A day that was
// begun is a whole one; more than there may be are one more than that.
func daysFromFirstUse(expiry float64) int {
	const day = 24 * 60 * 60 * 1000 // milliseconds
	return int(min(math.Ceil(max(-expiry, 0)/day), clientsapi.MostDays+1))
}

func (r *reader) quota(c *foreign.Client, at string, one *client) {
	if one.TotalGB < 1 || one.TotalGB > mostCounted {
		return
	}
	c.Quota, c.Reset = int64(one.TotalGB), "never"
	switch {
	case one.Cycle == "daily" || one.Cycle == "weekly" || one.Cycle == "monthly":
		c.Reset = one.Cycle
	case one.Reset > 0 || one.Cycle != "" && one.Cycle != "never":
		r.note(at+".reset", foreign.ResetLeftOut, c.Label)
	}
}

// secretOf reads how the client shows who it is, as the protocol wants it.
func secretOf(c *foreign.Client, l *foreign.Listener, one *client) bool {
	const longest = 128
	switch l.Protocol {
	case "vless", "vmess":
		id, ok := idOf(string(one.ID))
		c.UUID = id
		return ok
	case "trojan":
		c.Password = string(one.Password)
	case "hysteria2":
		if c.Password = string(one.Auth); c.Password == "" {
			c.Password = string(one.Password)
		}
	default:
		raw, err := base64.StdEncoding.DecodeString(string(one.Password))
		c.Key = raw
		return err == nil && len(raw) == methods[l.Method] && (one.Method == "" || one.Method == l.Method)
	}
	return c.Password != "" && len(c.Password) <= longest && foreign.Clean(c.Password, longest) == c.Password
}

// idOf is an id as the core reads it: a UUID, or one made of any short text.
func idOf(text string) (string, bool) {
	const longest = 30
	if id, err := uuid.Parse(text); err == nil && len(text) >= 32 && len(text) <= 36 {
		return id.String(), true
	}
	if text == "" || len(text) > longest {
		return "", false
	}
	return uuid.NewHash(sha1.New(), uuid.Nil, []byte(text), 5).String(), true //nolint:gosec // as the core does
}
