package remnawavetest

import (
	"maps"
)

// What an administrator of the panel does by hand, beside us.

// Empty takes the profile from a node, which disables it.
func (p *Panel) Empty(nodeID string) {
	p.change(func() {
		node := p.row(nodes, "uuid", nodeID)
		node["isDisabled"], node["isConnected"] = true, false
		node["configProfile"] = object{"activeConfigProfileUuid": nil, "activeInbounds": []object{}}
	})
}

// ConnectNode lets a node be connected.
func (p *Panel) ConnectNode(nodeID string) {
	p.change(func() {
		node := p.row(nodes, "uuid", nodeID)
		node["isConnected"], node["lastStatusMessage"] = true, nil
	})
}

// RunDefault lets a node run all inbounds of the default profile.
func (p *Panel) RunDefault(nodeID string) {
	p.change(func() {
		profile := p.row(profiles, "uuid", DefaultProfile)
		p.row(nodes, "uuid", nodeID)["configProfile"] = object{
			"activeConfigProfileUuid": DefaultProfile, "activeInbounds": inboundsOf(profile),
		}
	})
}

// RemoveNode removes a node.
func (p *Panel) RemoveNode(nodeID string) {
	p.change(func() { p.drop(nodes, p.row(nodes, "uuid", nodeID)) })
}

// RemoveHost removes a host.
func (p *Panel) RemoveHost(hostID string) {
	p.change(func() { p.drop(hosts, p.row(hosts, "uuid", hostID)) })
}

// ChangeHost changes fields of a host.
func (p *Panel) ChangeHost(hostID string, fields map[string]any) {
	p.change(func() { maps.Copy(p.row(hosts, "uuid", hostID), fields) })
}

// EditProfile changes the configuration of the newest profile.
func (p *Panel) EditProfile(edit func(config map[string]any)) {
	p.change(func() {
		all := p.tables[profiles]
		edit(all[len(all)-1]["config"].(object))
	})
}

// LeaveSquads takes all inbounds from all squads.
func (p *Panel) LeaveSquads() {
	p.change(func() {
		for _, squad := range p.tables[squads] {
			squad["inbounds"] = []object{}
		}
	})
}
