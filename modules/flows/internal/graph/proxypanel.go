package graph

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"panel/platform/pattern"
)

// ProxyPanel says that the node which a proxy panel has on the node of an entry serves it, to the users of some squads.
type ProxyPanel struct {
	ConnectionID string   `json:"connection_id" maxLength:"36" doc:"Connection with the proxy panel"`
	SquadIDs     []string `json:"squad_ids" minItems:"1" maxItems:"20" doc:"Squads there whose users may use the entry"`
	Remark       string   `json:"remark,omitempty" maxLength:"100" doc:"Name that users see; the flow's name when left out"`
}

// MaxSquads is how many squads of a proxy panel an entry is for.
const MaxSquads = 20

const maxRemark = 100

var uuidForm = pattern.Of(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// Served reports whether the node of a proxy panel serves the block, so that no agent of ours has a part in it.
func (n Node) Served() bool { return n.Kind == Entry && n.Params.ProxyPanel != nil }

// served holds the rules of an entry that a proxy panel serves: what its users have credentials for, without anything
// that an agent of ours would have to put on the node.
func (c *checker) served(path string, n Node) {
	c.offer(path+".proxypanel", *n.Params.ProxyPanel)
	l := *n.Params.Listener
	if f := l.Filled(); f.Protocol != "vless" {
		c.add("panel_protocol_unsupported", path+".listener.protocol",
			"users of a proxy panel can use an entry of vless alone: the others need a certificate or credentials of ours")
		return
	} else if f.Security == TLS {
		c.add("panel_protocol_unsupported", path+".listener.security",
			"a proxy panel cannot show a certificate of ours: choose reality or none")
		return
	}
	if f := l.Filled(); f.Transport == "raw" && f.Security == "reality" && f.Flow != Vision {
		c.add("panel_protocol_unsupported", path+".listener.flow",
			"a proxy panel gives vision to all who use raw connections with REALITY")
	}
	if l.PortRange != "" {
		c.add("not_allowed_here", path+".listener.port_range", "the node of a proxy panel listens on one port")
	}
	c.unencrypted = true
	c.listener(path+".listener", l, true)
	c.unencrypted = false
}

func (c *checker) offer(path string, p ProxyPanel) {
	if !uuidForm().MatchString(p.ConnectionID) {
		c.add("invalid_value", path+".connection_id", "choose the connection with the proxy panel")
	}
	if len(p.SquadIDs) == 0 || len(p.SquadIDs) > MaxSquads {
		c.add("invalid_value", path+".squad_ids", fmt.Sprintf("choose 1 to %d squads", MaxSquads))
	}
	for i, id := range p.SquadIDs[:min(len(p.SquadIDs), MaxSquads)] {
		if !uuidForm().MatchString(id) || slices.Contains(p.SquadIDs[:i], id) {
			c.add("invalid_value", fmt.Sprintf("%s.squad_ids[%d]", path, i), "name each squad once, by its id")
		}
	}
	if utf8.RuneCountInString(p.Remark) > maxRemark || strings.ContainsFunc(p.Remark, unicode.IsControl) ||
		p.Remark != strings.TrimSpace(p.Remark) {
		c.add("invalid_value", path+".remark", "use up to 100 characters without line breaks, not beginning or ending with a space")
	}
}
