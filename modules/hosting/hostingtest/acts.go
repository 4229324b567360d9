package hostingtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// words are a provider's own for what a machine does.
type words struct{ running, off string }

var said = map[string]words{
	"hetzner": {"running", "off"}, "digitalocean": {"active", "off"}, "linode": {"running", "offline"},
	"vultr": {"active", "stopped"}, "timeweb": {"on", "off"}, "aeza": {"active", "suspended"},
	"selectel": {"ACTIVE", "SHUTOFF"},
}

// wanted is what somebody asked for when a machine was made.
type wanted struct {
	name, region, plan, script string
	tags                       []string
}

// OnMade is called with each machine that is made, and with what it runs when it starts for the first time.
func (c *Cloud) OnMade(call func(m Machine, script string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = call
}

// BreakAfter answers so many of the next calls that change something with 500, after they were carried out.
func (c *Cloud) BreakAfter(calls int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.brokenAfter = calls
}

// Stick lets actions have no end from now on, or end again.
func (c *Cloud) Stick(stuck bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stuck = stuck
}

// Costs sets the price of a month of every size, in whole units.
func (c *Cloud) Costs(price int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.price = price
}

// Machines gives those that are there.
func (c *Cloud) Machines() []Machine {
	all, _ := c.listed()
	return all
}

// begin makes a machine, which runs when its action has come to an end.
func (c *Cloud) begin(w wanted) Machine {
	c.mu.Lock()
	c.number++
	m := Machine{
		ID: 9000 + c.number, Name: w.name, Region: w.region, Plan: w.plan, Status: said[c.kind].running,
		IPv4: fmt.Sprintf("198.51.100.%d", c.number), IPv6: fmt.Sprintf("2001:db8:f::%x", c.number), Tags: w.tags,
	}
	c.machines = append(c.machines, m)
	made := c.made
	c.mu.Unlock()
	if made != nil {
		made(m, w.script)
	}
	return m
}

// at gives a machine by its id in a path.
func (c *Cloud) at(id string) (Machine, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.machines, func(m Machine) bool {
		return slices.Contains([]string{strconv.Itoa(m.ID), VultrID(m.ID), SelectelID(m.ID)}, id)
	})
	if i < 0 {
		return Machine{}, false
	}
	return c.machines[i], true
}

// turn switches a machine.
func (c *Cloud) turn(m Machine, on bool) {
	m.Status = said[c.kind].off
	if on {
		m.Status = said[c.kind].running
	}
	c.Put(m)
}

// spoiled tells whether the answer of a call that was carried out gets lost.
func (c *Cloud) spoiled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.brokenAfter > 0
	c.brokenAfter = max(c.brokenAfter-1, 0)
	return was
}

func (c *Cloud) status(running, done string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stuck {
		return running
	}
	return done
}

// of reads a machine of the path and lets act answer; a missing one is 404.
func (c *Cloud) of(says refusal, act func(w http.ResponseWriter, r *http.Request, m Machine)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		m, found := c.at(r.PathValue("id"))
		if !found {
			says(w, http.StatusNotFound)
			return
		}
		act(w, r, m)
	}
}

// done answers a call that was carried out, or loses its answer.
func (c *Cloud) done(w http.ResponseWriter, says refusal, status int, answer any) {
	switch {
	case c.spoiled():
		says(w, http.StatusInternalServerError)
	case answer == nil:
		w.WriteHeader(status)
	default:
		write(w, status, answer)
	}
}

func sent(r *http.Request) (body fields) {
	_ = json.NewDecoder(r.Body).Decode(&body)
	return body
}

func text(body fields, name string) string {
	value, _ := body[name].(string)
	return value
}

func list(body fields, name string) []string {
	values, _ := body[name].([]any)
	texts := make([]string, len(values))
	for i, one := range values {
		texts[i], _ = one.(string)
	}
	return texts
}

func decoded(script string) string {
	plain, _ := base64.StdEncoding.DecodeString(script)
	return string(plain)
}

func (c *Cloud) hetznerActs(mux *http.ServeMux, says refusal) {
	action := func() fields {
		return fields{"action": fields{"id": 13, "status": c.status("running", "success"), "error": nil}}
	}
	mux.HandleFunc("POST /servers", func(w http.ResponseWriter, r *http.Request) {
		body := sent(r)
		switch {
		case !c.may("Read & Write"):
			says(w, http.StatusForbidden)
			return
		case text(body, "name") == "":
			says(w, http.StatusUnprocessableEntity)
			return
		}
		tags := []string{}
		labels, _ := body["labels"].(map[string]any)
		for name := range labels {
			tags = append(tags, name)
		}
		m := c.begin(wanted{
			text(body, "name"), text(body, "location"), text(body, "server_type"), text(body, "user_data"), tags,
		})
		answer := action()
		answer["server"], answer["root_password"] = c.hetznerServer(m), nil
		c.done(w, says, http.StatusCreated, answer)
	})
	mux.HandleFunc("GET /servers/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		write(w, http.StatusOK, fields{"server": c.hetznerServer(m)})
	}))
	mux.HandleFunc("DELETE /servers/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		c.Drop(m.ID)
		c.done(w, says, http.StatusOK, action())
	}))
	mux.HandleFunc("POST /servers/{id}/actions/{act}", c.of(says, func(w http.ResponseWriter, r *http.Request, m Machine) {
		c.turn(m, r.PathValue("act") != "poweroff")
		c.done(w, says, http.StatusCreated, action())
	}))
	mux.HandleFunc("GET /actions/{id}", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, action())
	})
	mux.HandleFunc("GET /images", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, fields{"images": []fields{
			{"id": 1, "name": "debian-12", "description": "Debian 12", "architecture": "x86", "deprecated": nil},
			{"id": 2, "name": "debian-12", "description": "Debian 12", "architecture": "arm", "deprecated": nil},
			{"id": 3, "name": "debian-10", "description": "Debian 10", "deprecated": "2024-06-01T00:00:00Z"},
		}, "meta": fields{"pagination": fields{"next_page": nil}}})
	})
}

func (c *Cloud) digitalOceanActs(mux *http.ServeMux, says refusal) {
	action := func() fields {
		return fields{"action": fields{"id": 36804636, "status": c.status("in-progress", "completed")}}
	}
	mux.HandleFunc("POST /droplets", func(w http.ResponseWriter, r *http.Request) {
		body := sent(r)
		m := c.begin(wanted{
			text(body, "name"), text(body, "region"), text(body, "size"), text(body, "user_data"), list(body, "tags"),
		})
		c.done(w, says, http.StatusAccepted, fields{
			"droplet": droplet(m), "links": fields{"actions": []fields{{"id": 36804636, "rel": "create"}}},
		})
	})
	mux.HandleFunc("GET /droplets/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		write(w, http.StatusOK, fields{"droplet": droplet(m)})
	}))
	mux.HandleFunc("DELETE /droplets/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		c.Drop(m.ID)
		c.done(w, says, http.StatusNoContent, nil)
	}))
	mux.HandleFunc("POST /droplets/{id}/actions", c.of(says, func(w http.ResponseWriter, r *http.Request, m Machine) {
		c.turn(m, text(sent(r), "type") != "power_off")
		c.done(w, says, http.StatusCreated, action())
	}))
	mux.HandleFunc("GET /actions/{id}", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, action())
	})
	mux.HandleFunc("GET /images", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, fields{"images": []fields{
			{"id": 1, "slug": "debian-12-x64", "name": "12 x64", "distribution": "Debian", "status": "available"},
			{"id": 2, "slug": nil, "name": "9 x64", "distribution": "Debian", "status": "retired"},
		}, "links": fields{"pages": fields{}}})
	})
}

func (c *Cloud) vultrActs(mux *http.ServeMux, says refusal) {
	mux.HandleFunc("POST /instances", func(w http.ResponseWriter, r *http.Request) {
		body := sent(r)
		if _, isNumber := body["os_id"].(float64); !isNumber {
			says(w, http.StatusBadRequest)
			return
		}
		m := c.begin(wanted{
			text(body, "label"), text(body, "region"), text(body, "plan"), decoded(text(body, "user_data")),
			list(body, "tags"),
		})
		c.done(w, says, http.StatusAccepted, fields{"instance": vultrInstance(m)})
	})
	mux.HandleFunc("GET /instances/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		write(w, http.StatusOK, fields{"instance": vultrInstance(m)})
	}))
	mux.HandleFunc("DELETE /instances/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		c.Drop(m.ID)
		c.done(w, says, http.StatusNoContent, nil)
	}))
	mux.HandleFunc("POST /instances/{id}/{act}", c.of(says, func(w http.ResponseWriter, r *http.Request, m Machine) {
		c.turn(m, r.PathValue("act") != "halt")
		c.done(w, says, http.StatusNoContent, nil)
	}))
	mux.HandleFunc("GET /os", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, fields{"os": []fields{
			{"id": 2136, "name": "Debian 12 x64 (bookworm)", "arch": "x64", "family": "debian"},
			{"id": 501, "name": "Windows 2022", "arch": "x64", "family": "windows"},
			{"id": 159, "name": "Custom", "arch": "x64", "family": "iso"},
		}, "meta": fields{"links": fields{"next": ""}}})
	})
}

func (c *Cloud) linodeActs(
	mux *http.ServeMux, says refusal, scoped func(right string, answer http.HandlerFunc) http.HandlerFunc,
) {
	const right = "linodes:read_write"
	handle := func(pattern string, answer http.HandlerFunc) { mux.HandleFunc(pattern, scoped(right, answer)) }
	handle("POST /linode/instances", func(w http.ResponseWriter, r *http.Request) {
		body := sent(r)
		if text(body, "root_pass") == "" {
			says(w, http.StatusBadRequest)
			return
		}
		metadata, _ := body["metadata"].(map[string]any)
		m := c.begin(wanted{
			text(body, "label"), text(body, "region"), text(body, "type"), decoded(text(metadata, "user_data")),
			list(body, "tags"),
		})
		c.done(w, says, http.StatusOK, linodeInstance(m))
	})
	handle("GET /linode/instances/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		write(w, http.StatusOK, linodeInstance(m))
	}))
	handle("DELETE /linode/instances/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		c.Drop(m.ID)
		c.done(w, says, http.StatusOK, fields{})
	}))
	handle("POST /linode/instances/{id}/{act}", c.of(says, func(w http.ResponseWriter, r *http.Request, m Machine) {
		c.turn(m, r.PathValue("act") != "shutdown")
		c.done(w, says, http.StatusOK, fields{})
	}))
	mux.HandleFunc("GET /images", scoped("", func(w http.ResponseWriter, _ *http.Request) {
		with := []string{"cloud-init"}
		write(w, http.StatusOK, fields{"data": []fields{
			{"id": "linode/debian12", "label": "Debian 12", "is_public": true, "capabilities": with},
			{"id": "linode/slackware15.0", "label": "Slackware 15", "is_public": true, "capabilities": []string{}},
			{"id": "linode/debian9", "label": "Debian 9", "is_public": true, "deprecated": true, "capabilities": with},
		}, "page": 1, "pages": 1, "results": 3})
	}))
}
