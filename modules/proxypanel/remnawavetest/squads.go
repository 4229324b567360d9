package remnawavetest

import (
	"net/http"
	"slices"

	"github.com/google/uuid"
)

func squadRoutes() []route {
	return []route{
		{http.MethodGet, "internal-squads", "internal-squads:list", true, (*Panel).listSquads},
		{http.MethodGet, "internal-squads/{uuid}", "internal-squads:get", true, (*Panel).getSquad},
		{http.MethodPost, "internal-squads", "internal-squads:create", false, (*Panel).createSquad},
		{http.MethodPatch, "internal-squads", "internal-squads:update", false, (*Panel).changeSquad},
		{http.MethodDelete, "internal-squads/{uuid}", "internal-squads:delete", false, (*Panel).deleteSquad},
	}
}

// shownSquad counts who and what is in it.
func (p *Panel) shownSquad(squad object) object {
	members := 0
	for _, user := range p.tables[users] {
		in, _ := user["activeInternalSquads"].([]object)
		if slices.ContainsFunc(in, func(o object) bool { return o["uuid"] == squad["uuid"] }) {
			members++
		}
	}
	squad["info"] = object{"membersCount": members, "inboundsCount": len(inboundsOf(squad))}
	return squad
}

func (p *Panel) listSquads(*request) answer {
	list := []object{}
	for _, squad := range p.tables[squads] {
		list = append(list, p.shownSquad(squad))
	}
	return ok(object{"total": len(list), "internalSquads": list})
}

func (p *Panel) squadOf(r *request) (object, answer) {
	if refused, bad := badID(r, "uuid"); bad {
		return nil, refused
	}
	return p.row(squads, "uuid", r.path["uuid"]), domain(http.StatusNotFound, "A119", "Internal squad not found")
}

func (p *Panel) getSquad(r *request) answer {
	squad, refused := p.squadOf(r)
	if squad == nil {
		return refused
	}
	return ok(p.shownSquad(squad))
}

// named are inbounds by their ids, whichever profile they stand in.
func (p *Panel) named(ids []string) []object {
	list := []object{}
	for _, profile := range p.tables[profiles] {
		for _, inbound := range inboundsOf(profile) {
			if slices.Contains(ids, inbound["uuid"].(string)) {
				list = append(list, inbound)
			}
		}
	}
	return list
}

func (p *Panel) createSquad(r *request) answer {
	name := r.text("name")
	switch {
	case len(name) < 2 || len(name) > 30:
		return invalid("name")
	case !r.has("inbounds"):
		return invalid("inbounds")
	case p.taken(squads, "name", name, nil):
		return domain(http.StatusConflict, "A120", "Internal squad with this name already exists")
	}
	now := stamp(p.now())
	return made(p.shownSquad(p.add(squads, object{
		"uuid": uuid.NewString(), "viewPosition": len(p.tables[squads]) + 1, "name": name,
		"inbounds": p.named(texts(r.body["inbounds"])), "createdAt": now, "updatedAt": now,
	})))
}

func (p *Panel) changeSquad(r *request) answer {
	squad := p.row(squads, "uuid", r.body["uuid"])
	switch {
	case uuid.Validate(r.text("uuid")) != nil:
		return invalid("uuid")
	case squad == nil:
		return domain(http.StatusNotFound, "A119", "Internal squad not found")
	case r.has("name") && p.taken(squads, "name", r.text("name"), squad):
		return domain(http.StatusConflict, "A120", "Internal squad with this name already exists")
	}
	apply(squad, r, "name")
	if r.has("inbounds") {
		squad["inbounds"] = p.named(texts(r.body["inbounds"]))
	}
	return ok(p.shownSquad(squad))
}

func (p *Panel) deleteSquad(r *request) answer {
	squad, refused := p.squadOf(r)
	if squad == nil {
		return refused
	}
	p.drop(squads, squad)
	return done()
}

// AddSquad puts a squad without inbounds there and gives its id.
func (p *Panel) AddSquad(name string) string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	now := stamp(p.now())
	squad := p.add(squads, object{
		"uuid": uuid.NewString(), "viewPosition": len(p.tables[squads]) + 1, "name": name, "inbounds": []object{},
		"createdAt": now, "updatedAt": now,
	})
	return squad["uuid"].(string)
}
