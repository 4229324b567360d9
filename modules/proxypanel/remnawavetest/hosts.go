package remnawavetest

import (
	"net/http"

	"github.com/google/uuid"
)

func hostRoutes() []route {
	return []route{
		{http.MethodGet, "hosts", "hosts:list", true, func(p *Panel, _ *request) answer {
			return ok(append([]object{}, p.tables[hosts]...))
		}},
		{http.MethodGet, "hosts/tags", "hosts:list-tags", true, func(p *Panel, _ *request) answer { return p.tagsOf(hosts) }},
		{http.MethodGet, "hosts/{uuid}", "hosts:get", true, (*Panel).getHost},
		{http.MethodPost, "hosts", "hosts:create", false, (*Panel).createHost},
		{http.MethodPatch, "hosts", "hosts:update", false, (*Panel).changeHost},
		{http.MethodDelete, "hosts/{uuid}", "hosts:delete", false, (*Panel).deleteHost},
		{http.MethodPost, "hosts/bulk/enable", "hosts:bulk-enable", false, func(p *Panel, r *request) answer {
			return p.switchHosts(r, false)
		}},
		{http.MethodPost, "hosts/bulk/disable", "hosts:bulk-disable", false, func(p *Panel, r *request) answer {
			return p.switchHosts(r, true)
		}},
	}
}

var hostFields = []string{
	"remark", "address", "port", "path", "sni", "host", "alpn", "fingerprint", "isHidden", "securityLayer",
	"serverDescription", "tags", "nodes", "excludedInternalSquads", "vlessRouteId", "overrideSniFromAddress",
}

func (p *Panel) hostOf(r *request) (object, answer) {
	if refused, bad := badID(r, "uuid"); bad {
		return nil, refused
	}
	return p.row(hosts, "uuid", r.path["uuid"]), domain(http.StatusNotFound, "A062", "Host not found")
}

func (p *Panel) getHost(r *request) answer {
	host, refused := p.hostOf(r)
	if host == nil {
		return refused
	}
	return ok(host)
}

// inboundGiven is the inbound that a host names; nil where that profile has none such.
func (p *Panel) inboundGiven(r *request) object {
	named, _ := r.body["inbound"].(object)
	profile := p.row(profiles, "uuid", named["configProfileUuid"])
	for _, inbound := range inboundsOf(profile) {
		if inbound["uuid"] == named["configProfileInboundUuid"] {
			return object{"configProfileUuid": profile["uuid"], "configProfileInboundUuid": inbound["uuid"]}
		}
	}
	return nil
}

func errInboundUnknown() answer {
	return domain(http.StatusNotFound, "A124", "Config profile inbound not found in specified profile")
}

func (p *Panel) createHost(r *request) answer {
	switch port := r.number("port"); {
	case !r.has("inbound"):
		return invalid("inbound")
	case r.text("remark") == "" || len(r.text("remark")) > 100:
		return invalid("remark")
	case r.text("address") == "":
		return invalid("address")
	case port < 1 || port > 65535:
		return invalid("port")
	}
	inbound := p.inboundGiven(r)
	if inbound == nil {
		return errInboundUnknown()
	}
	host := object{
		"uuid": uuid.NewString(), "viewPosition": len(p.tables[hosts]) + 1, "isDisabled": r.body["isDisabled"] == true,
		"isHidden": false, "securityLayer": "DEFAULT", "inbound": inbound, "tags": []string{}, "nodes": []string{},
		"excludedInternalSquads": []string{}, "path": nil, "sni": nil, "host": nil, "alpn": nil, "fingerprint": nil,
		"serverDescription": nil,
	}
	apply(host, r, hostFields...)
	return made(p.add(hosts, host))
}

// changeHost enables a disabled host whose change does not say that it is disabled.
func (p *Panel) changeHost(r *request) answer {
	host := p.row(hosts, "uuid", r.body["uuid"])
	switch {
	case uuid.Validate(r.text("uuid")) != nil:
		return invalid("uuid")
	case host == nil:
		return domain(http.StatusNotFound, "A062", "Host not found")
	}
	if r.has("inbound") {
		inbound := p.inboundGiven(r)
		if inbound == nil {
			return errInboundUnknown()
		}
		host["inbound"] = inbound
	}
	host["isDisabled"] = r.body["isDisabled"] == true
	apply(host, r, hostFields...)
	return ok(host)
}

func (p *Panel) deleteHost(r *request) answer {
	host, refused := p.hostOf(r)
	if host == nil {
		return refused
	}
	p.drop(hosts, host)
	return done()
}

func (p *Panel) switchHosts(r *request, disabled bool) answer {
	if !r.has("uuids") {
		return invalid("uuids")
	}
	for _, id := range texts(r.body["uuids"]) {
		if host := p.row(hosts, "uuid", id); host != nil {
			host["isDisabled"] = disabled
		}
	}
	return done()
}
