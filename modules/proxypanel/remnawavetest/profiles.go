package remnawavetest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"panel/platform/pattern"
)

func profileRoutes() []route {
	return []route{
		{http.MethodGet, "config-profiles", "config-profiles:list", true, (*Panel).listProfiles},
		{http.MethodGet, "config-profiles/inbounds", "config-profiles:list-inbounds", true, (*Panel).listInbounds},
		{http.MethodGet, "config-profiles/{uuid}", "config-profiles:get", true, (*Panel).getProfile},
		{
			http.MethodGet, "config-profiles/{uuid}/inbounds", "config-profiles:list-profile-inbounds", true,
			(*Panel).listInbounds,
		},
		{http.MethodPost, "config-profiles", "config-profiles:create", false, (*Panel).createProfile},
		{http.MethodPatch, "config-profiles", "config-profiles:update", false, (*Panel).changeProfile},
		{http.MethodDelete, "config-profiles/{uuid}", "config-profiles:delete", false, (*Panel).deleteProfile},
	}
}

// DefaultProfile is the profile that every panel begins with, DefaultTag its one inbound.
const (
	DefaultProfile = "00000000-0000-0000-0000-000000000000"
	DefaultTag     = "Shadowsocks"
)

func defaultProfile(now time.Time) object {
	config := object{
		"inbounds": []any{object{
			"tag": DefaultTag, "port": 1234.0, "protocol": "shadowsocks",
			"settings": object{"clients": []any{}, "network": "tcp,udp"},
		}},
		"outbounds": []any{object{"tag": "DIRECT", "protocol": "freedom"}},
	}
	profile := object{
		"uuid": DefaultProfile, "viewPosition": 1, "name": "Default-Profile", "config": config, "inbounds": []object{},
		"createdAt": stamp(now), "updatedAt": stamp(now),
	}
	profile["inbounds"] = inboundsFor(profile, config)
	return profile
}

func inboundsOf(profile object) []object { list, _ := profile["inbounds"].([]object); return list }

// served are the protocols whose inbounds become objects; others are deployed and invisible.
var served = []string{"vless", "trojan", "shadowsocks", "hysteria"}

// inboundsFor are the inbound objects of a configuration. An inbound keeps its id as long as its tag stays.
func inboundsFor(profile, config object) []object {
	list := []object{}
	for _, one := range rawInbounds(config) {
		kind, _ := one["protocol"].(string)
		if !slices.Contains(served, kind) {
			continue
		}
		id := uuid.NewString()
		for _, before := range inboundsOf(profile) {
			if before["tag"] == one["tag"] {
				id = before["uuid"].(string)
			}
		}
		stream, _ := one["streamSettings"].(object)
		list = append(list, object{
			"uuid": id, "profileUuid": profile["uuid"], "tag": one["tag"], "type": kind, "network": stream["network"],
			"security": stream["security"], "port": one["port"], "rawInbound": one,
		})
	}
	return list
}

func rawInbounds(config object) (list []object) {
	given, _ := config["inbounds"].([]any)
	for _, one := range given {
		if inbound, is := one.(object); is {
			list = append(list, inbound)
		}
	}
	return list
}

// shownProfile adds which nodes run it.
func (p *Panel) shownProfile(profile object) object {
	running := []object{}
	for _, node := range p.tables[nodes] {
		if active, _ := node["configProfile"].(object); active["activeConfigProfileUuid"] == profile["uuid"] {
			running = append(running, object{
				"uuid": node["uuid"], "name": node["name"], "countryCode": node["countryCode"],
			})
		}
	}
	profile["nodes"] = running
	return profile
}

func (p *Panel) listProfiles(*request) answer {
	list := []object{}
	for _, profile := range p.tables[profiles] {
		list = append(list, p.shownProfile(profile))
	}
	return ok(object{"total": len(list), "configProfiles": list})
}

// listInbounds lists those of one profile or of all, each with the squads that have it.
func (p *Panel) listInbounds(r *request) answer {
	list := []object{}
	for _, profile := range p.tables[profiles] {
		if id := r.path["uuid"]; id != "" && id != profile["uuid"] {
			continue
		}
		for _, inbound := range inboundsOf(profile) {
			with := []any{}
			for _, squad := range p.tables[squads] {
				if slices.ContainsFunc(inboundsOf(squad), func(o object) bool { return o["uuid"] == inbound["uuid"] }) {
					with = append(with, squad["uuid"])
				}
			}
			shown := object{"activeSquads": with}
			for name, value := range inbound {
				shown[name] = value
			}
			list = append(list, shown)
		}
	}
	return ok(object{"total": len(list), "inbounds": list})
}

func (p *Panel) profileOf(r *request) (object, answer) {
	if refused, bad := badID(r, "uuid"); bad {
		return nil, refused
	}
	return p.row(profiles, "uuid", r.path["uuid"]), domain(http.StatusNotFound, "A111", "Config profile not found")
}

func (p *Panel) getProfile(r *request) answer {
	profile, refused := p.profileOf(r)
	if profile == nil {
		return refused
	}
	return ok(p.shownProfile(profile))
}

var profileName = pattern.Of(`^[A-Za-z0-9_\s-]{2,30}$`)

// createProfile hides why a configuration is bad; changeProfile says it.
func (p *Panel) createProfile(r *request) answer {
	config, is := r.body["config"].(object)
	switch {
	case !profileName().MatchString(r.text("name")):
		return invalid("name")
	case !is:
		return invalid("config")
	case p.taken(profiles, "name", r.text("name"), nil):
		return domain(http.StatusConflict, "A114", "Config profile name already exists")
	case flaw(config) != "":
		return domain(http.StatusInternalServerError, "A112", "Create config profile error")
	case p.tagTaken(config, nil):
		return domain(http.StatusConflict, "A113", "Inbounds with same tag already exists")
	}
	now := stamp(p.now())
	profile := object{
		"uuid": uuid.NewString(), "viewPosition": len(p.tables[profiles]) + 1, "name": r.text("name"),
		"config": withoutClients(config), "inbounds": []object{}, "createdAt": now, "updatedAt": now,
	}
	profile["inbounds"] = inboundsFor(profile, config)
	return made(p.shownProfile(p.add(profiles, profile)))
}

func (p *Panel) changeProfile(r *request) answer {
	profile := p.row(profiles, "uuid", r.body["uuid"])
	config, replaces := r.body["config"].(object)
	switch {
	case uuid.Validate(r.text("uuid")) != nil:
		return invalid("uuid")
	case profile == nil:
		return domain(http.StatusNotFound, "A111", "Config profile not found")
	case r.has("name") && !profileName().MatchString(r.text("name")):
		return invalid("name")
	case r.has("name") && p.taken(profiles, "name", r.text("name"), profile):
		return domain(http.StatusConflict, "A114", "Config profile name already exists")
	case replaces && flaw(config) != "":
		return domain(http.StatusInternalServerError, "A061", flaw(config))
	case replaces && p.tagTaken(config, profile):
		return domain(http.StatusConflict, "A113", "Inbounds with same tag already exists")
	}
	apply(profile, r, "name")
	if replaces {
		profile["config"] = withoutClients(config)
		profile["inbounds"] = inboundsFor(profile, config)
		p.forget(profile)
	}
	profile["updatedAt"] = stamp(p.now())
	return ok(p.shownProfile(profile))
}

func (p *Panel) deleteProfile(r *request) answer {
	profile, refused := p.profileOf(r)
	if profile == nil {
		return refused
	}
	profile["inbounds"] = []object{}
	p.forget(profile)
	p.drop(profiles, profile)
	return done()
}

// flaw is what the panel finds wrong with a configuration.
func flaw(config object) string {
	out, _ := config["outbounds"].([]any)
	switch {
	case len(rawInbounds(config)) == 0:
		return "Config doesn't have inbounds."
	case len(out) == 0:
		return "Config doesn't have outbounds."
	}
	seen := map[any]bool{}
	for _, inbound := range rawInbounds(config) {
		tag, _ := inbound["tag"].(string)
		switch {
		case tag == "":
			return "All inbounds must have a unique tag."
		case strings.Contains(tag, ","):
			return "Character ',' is not allowed in inbound tag."
		}
		if seen[tag] {
			return "Duplicate inbound tag " + tag
		}
		seen[tag] = true
	}
	return ""
}

// tagTaken: tags are unique across the whole panel.
func (p *Panel) tagTaken(config, except object) bool {
	for _, inbound := range rawInbounds(config) {
		for _, other := range p.tables[profiles] {
			if except != nil && sameRow(other, except) {
				continue
			}
			if slices.ContainsFunc(inboundsOf(other), func(o object) bool { return o["tag"] == inbound["tag"] }) {
				return true
			}
		}
	}
	return false
}

// withoutClients is what is stored of a configuration: users are injected on each node.
func withoutClients(config object) object {
	for _, inbound := range rawInbounds(config) {
		if settings, is := inbound["settings"].(object); is && settings["clients"] != nil {
			settings["clients"] = []any{}
		}
	}
	return config
}

// forget takes inbounds that are no more out of nodes and squads, and leaves their hosts without one.
func (p *Panel) forget(profile object) {
	there := map[any]object{}
	for _, one := range p.tables[profiles] {
		for _, inbound := range inboundsOf(one) {
			there[inbound["uuid"]] = inbound
		}
	}
	if len(inboundsOf(profile)) == 0 {
		for id, inbound := range there {
			if inbound["profileUuid"] == profile["uuid"] {
				delete(there, id)
			}
		}
	}
	still := func(list []object) []object {
		left := []object{}
		for _, one := range list {
			if now := there[one["uuid"]]; now != nil {
				left = append(left, now)
			}
		}
		return left
	}
	for _, node := range p.tables[nodes] {
		active := node["configProfile"].(object)
		list, _ := active["activeInbounds"].([]object)
		active["activeInbounds"] = still(list)
	}
	for _, squad := range p.tables[squads] {
		squad["inbounds"] = still(inboundsOf(squad))
	}
	for _, host := range p.tables[hosts] {
		inbound := host["inbound"].(object)
		if there[inbound["configProfileInboundUuid"]] == nil {
			inbound["configProfileInboundUuid"] = nil
		}
	}
}

// Config gives the configuration that a profile holds.
func (p *Panel) Config(profile string) json.RawMessage {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	text, err := json.Marshal(p.row(profiles, "uuid", profile)["config"])
	p.must(err)
	return text
}
