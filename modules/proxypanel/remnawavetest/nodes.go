package remnawavetest

import (
	"net/http"
	"time"

	"github.com/google/uuid"
)

func nodeRoutes() []route {
	return []route{
		{http.MethodGet, "nodes", "nodes:list", true, (*Panel).listNodes},
		{http.MethodGet, "nodes/tags", "nodes:list-tags", true, func(p *Panel, _ *request) answer { return p.tagsOf(nodes) }},
		{http.MethodGet, "nodes/{uuid}", "nodes:get", true, (*Panel).getNode},
		{http.MethodPost, "nodes", "nodes:create", false, (*Panel).createNode},
		{http.MethodPatch, "nodes", "nodes:update", false, (*Panel).changeNode},
		{http.MethodDelete, "nodes/{uuid}", "nodes:delete", false, (*Panel).deleteNode},
		{http.MethodPost, "nodes/{uuid}/actions/enable", "nodes:enable", false, (*Panel).enableNode},
		{http.MethodPost, "nodes/{uuid}/actions/disable", "nodes:disable", false, (*Panel).disableNode},
		{http.MethodPost, "nodes/{uuid}/actions/restart", "nodes:restart", false, (*Panel).restartNode},
	}
}

// AddNode puts a node there that runs all inbounds of the default profile.
func (p *Panel) AddNode(name, address string, connected bool) string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	profile := p.tables[profiles][0]
	node := newNode(name, address, profile["uuid"], inboundsOf(profile))
	node["isConnected"] = connected
	if !connected {
		node["lastStatusMessage"] = "connect ECONNREFUSED " + address
	}
	p.add(nodes, node)
	return node["uuid"].(string)
}

func newNode(name, address string, profile any, inbounds []object) object {
	return object{
		"uuid": uuid.NewString(), "name": name, "address": address, "port": nil, "proxyUrl": nil, "isConnected": false,
		"isConnecting": false, "isDisabled": false, "lastStatusChange": nil, "lastStatusMessage": nil,
		"isTrafficTrackingActive": false, "trafficResetDay": nil, "trafficLimitBytes": nil, "trafficUsedBytes": 0,
		"notifyPercent": nil, "viewPosition": 1, "countryCode": "XX", "consumptionMultiplier": 1,
		"nodeConsumptionMultiplier": 1, "tags": []string{}, "integrationUuids": []string{}, "ips": []object{},
		"configProfile": object{"activeConfigProfileUuid": profile, "activeInbounds": inbounds},
		"providerUuid":  nil, "provider": nil, "activePluginUuid": nil, "system": nil, "versions": nil, "xrayUptime": 0,
		"usersOnline": 0, "note": nil,
	}
}

func (p *Panel) listNodes(*request) answer { return ok(append([]object{}, p.tables[nodes]...)) }

func (p *Panel) tagsOf(table string) answer {
	tags := []string{}
	for _, row := range p.tables[table] {
		tags = append(tags, texts(row["tags"])...)
	}
	return ok(object{"tags": tags})
}

// nodeOf gives the node of the path, or the refusal.
func (p *Panel) nodeOf(r *request) (object, answer) {
	if refused, bad := badID(r, "uuid"); bad {
		return nil, refused
	}
	return p.row(nodes, "uuid", r.path["uuid"]), domain(http.StatusNotFound, "A011", "Node not found")
}

func (p *Panel) getNode(r *request) answer {
	node, refused := p.nodeOf(r)
	if node == nil {
		return refused
	}
	return ok(node)
}

// chosen are the inbounds of a body's configProfile; the refusal where there are none such.
func (p *Panel) chosen(r *request) (profile any, inbounds []object, refused answer) {
	given, _ := r.body["configProfile"].(object)
	found := p.row(profiles, "uuid", given["activeConfigProfileUuid"])
	if found == nil {
		return nil, nil, domain(http.StatusNotFound, "A111", "Config profile not found")
	}
	inbounds = []object{}
	for _, wanted := range texts(given["activeInbounds"]) {
		for _, inbound := range inboundsOf(found) {
			if inbound["uuid"] == wanted {
				inbounds = append(inbounds, inbound)
			}
		}
	}
	return found["uuid"], inbounds, answer{}
}

// createNode keeps the row of a node without inbounds although it answers 500.
func (p *Panel) createNode(r *request) answer {
	name, address := r.text("name"), r.text("address")
	switch {
	case len(name) < 3 || len(name) > 30:
		return invalid("name")
	case len(address) < 2:
		return invalid("address")
	case !r.has("configProfile"):
		return invalid("configProfile")
	case p.taken(nodes, "name", name, nil):
		return domain(http.StatusBadRequest, "A033", "Node name already exists")
	case p.taken(nodes, "address", address, nil):
		return domain(http.StatusBadRequest, "A034", "Node address already exists")
	}
	profile, inbounds, refused := p.chosen(r)
	if refused.status != 0 {
		return refused
	}
	node := p.add(nodes, newNode(name, address, profile, inbounds))
	apply(node, r, "port", "countryCode", "tags", "note", "ips", "proxyUrl", "consumptionMultiplier")
	if len(inbounds) == 0 {
		node["isDisabled"] = true
		return domain(http.StatusInternalServerError, "A032", "Create node error")
	}
	return made(node)
}

func (p *Panel) changeNode(r *request) answer {
	node := p.row(nodes, "uuid", r.body["uuid"])
	switch {
	case uuid.Validate(r.text("uuid")) != nil:
		return invalid("uuid")
	case node == nil:
		return domain(http.StatusNotFound, "A011", "Node not found")
	case r.has("name") && p.taken(nodes, "name", r.text("name"), node):
		return domain(http.StatusBadRequest, "A033", "Node name already exists")
	case r.has("address") && p.taken(nodes, "address", r.text("address"), node):
		return domain(http.StatusBadRequest, "A034", "Node address already exists")
	}
	if r.has("configProfile") {
		profile, inbounds, refused := p.chosen(r)
		if refused.status != 0 {
			return refused
		}
		if node["configProfile"] = (object{"activeConfigProfileUuid": profile, "activeInbounds": inbounds}); len(inbounds) == 0 {
			node["isDisabled"] = true
			node["configProfile"] = object{"activeConfigProfileUuid": nil, "activeInbounds": []object{}}
		}
	}
	apply(node, r, "name", "address", "port", "countryCode", "tags", "note", "ips", "proxyUrl", "consumptionMultiplier")
	return ok(node)
}

// vanishing is how long a deleted node can still be read.
const vanishing = 50 * time.Millisecond

func (p *Panel) deleteNode(r *request) answer {
	node, refused := p.nodeOf(r)
	if node == nil {
		return refused
	}
	p.later(vanishing, func() { p.drop(nodes, node) })
	return done()
}

func (p *Panel) enableNode(r *request) answer {
	node, refused := p.nodeOf(r)
	if node == nil {
		return refused
	}
	node["isDisabled"], node["isConnecting"] = false, true
	p.later(vanishing, func() {
		if node["isDisabled"] == false {
			node["isConnecting"], node["isConnected"] = false, true
		}
	})
	return ok(node)
}

// disableNode leaves the stop of the node to a job, which writes the row last: an enable in between is lost.
func (p *Panel) disableNode(r *request) answer {
	node, refused := p.nodeOf(r)
	if node == nil {
		return refused
	}
	node["isDisabled"], node["isConnected"] = true, false
	p.later(vanishing, func() { node["isDisabled"], node["isConnected"], node["isConnecting"] = true, false, false })
	return ok(node)
}

func (p *Panel) restartNode(r *request) answer {
	if node, refused := p.nodeOf(r); node == nil {
		return refused
	}
	if _, is := r.body["forceRestart"].(bool); !is {
		return invalid("forceRestart")
	}
	return queued()
}
