package hostingtest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Names that the account of Selectel has here.
const (
	SelectelAccount = "123456"
	SelectelUser    = "panel"
	SelectelProject = "a7d3a2e3c7c14d0f9b0a3b0d8e1f2a3b"
	SelectelRegion  = "ru-7"
)

// EndTokens lets no token count any more that was issued at Selectel before.
func (c *Cloud) EndTokens() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.issued++
}

// projectToken is the one that counts at Selectel.
func (c *Cloud) projectToken() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("gAAAAAB-token-of-the-project-%d", c.issued)
}

// selectel: OpenStack, https://docs.selectel.ru/api/authorization and https://docs.openstack.org/api-ref. A password
// gives a token for a project and a catalog with the address of the servers; pages by markers, of 1000, UUIDs as ids,
// errors with one member, no prices and no tags.
func (c *Cloud) selectel(mux *http.ServeMux) refusal {
	c.proves = func(r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, "/auth/tokens") || r.Header.Get("X-Auth-Token") == c.projectToken()
	}
	says := func(w http.ResponseWriter, status int) {
		names := map[int][2]string{
			http.StatusUnauthorized:        {"error", "The request you have made requires authentication."},
			http.StatusForbidden:           {"forbidden", "Policy doesn't allow this to be performed."},
			http.StatusTooManyRequests:     {"overLimit", "This request was rate-limited."},
			http.StatusInternalServerError: {"computeFault", "Unexpected API Error."},
			http.StatusNotFound:            {"itemNotFound", "Instance could not be found."},
			http.StatusConflict:            {"conflictingRequest", "Cannot do this while it is in this vm_state"},
			http.StatusBadRequest:          {"badRequest", "There is no such action"},
		}
		write(w, status, fields{names[status][0]: fields{"code": status, "message": names[status][1]}})
	}
	mux.HandleFunc("POST /identity/auth/tokens", func(w http.ResponseWriter, r *http.Request) { c.selectelEnters(w, r, says) })
	mux.HandleFunc("GET /compute/v2.1/flavors/detail", func(w http.ResponseWriter, r *http.Request) {
		novaPage(w, r, "flavors", []fields{
			{"id": "1013", "name": "SL1.2-4096", "vcpus": 2, "ram": 4096, "disk": 0},
			{"id": "1011", "name": "SL1.1-1024-8", "vcpus": 1, "ram": 1024, "disk": 8},
		})
	})
	mux.HandleFunc("GET /compute/v2.1/servers/detail", func(w http.ResponseWriter, r *http.Request) {
		all, _ := c.listed()
		novaPage(w, r, "servers", shaped(all, novaServer))
	})
	c.selectelActs(mux, says)
	return says
}

// selectelEnters issues a token for the project.
func (c *Cloud) selectelEnters(w http.ResponseWriter, r *http.Request, says refusal) {
	inner := func(body fields, names ...string) fields {
		for _, name := range names {
			body, _ = body[name].(map[string]any)
		}
		return body
	}
	asked := sent(r)
	user := inner(asked, "auth", "identity", "password", "user")
	if text(user, "password") != c.Token || text(user, "name") != SelectelUser ||
		text(inner(user, "domain"), "name") != SelectelAccount ||
		text(inner(asked, "auth", "scope", "project"), "id") != SelectelProject {
		says(w, http.StatusUnauthorized)
		return
	}
	roles := []fields{{"id": "1", "name": "reader"}}
	if c.may("member") {
		roles = append(roles, fields{"id": "2", "name": "member"})
	}
	endpoint := func(region, side string) fields {
		return fields{
			"interface": side, "region": region, "region_id": region, "url": c.URL + "/compute/v2.1",
		}
	}
	w.Header().Set("X-Subject-Token", c.projectToken())
	write(w, http.StatusCreated, fields{"token": fields{
		"expires_at": "2099-01-01T00:00:00.000000Z", "methods": []string{"password"}, "roles": roles,
		"catalog": []fields{
			{"type": "image", "name": "glance", "endpoints": []fields{endpoint(SelectelRegion, "public")}},
			{"type": "compute", "name": "nova", "endpoints": []fields{
				endpoint("ru-1", "public"), endpoint(SelectelRegion, "internal"), endpoint(SelectelRegion, "public"),
			}},
		},
	}})
}

func (c *Cloud) selectelActs(mux *http.ServeMux, says refusal) {
	mux.HandleFunc("GET /compute/v2.1/servers/{id}", c.of(says, func(w http.ResponseWriter, _ *http.Request, m Machine) {
		write(w, http.StatusOK, fields{"server": novaServer(m)})
	}))
	mux.HandleFunc("DELETE /compute/v2.1/servers/{id}", c.of(says,
		func(w http.ResponseWriter, _ *http.Request, m Machine) {
			if !c.may("member") {
				says(w, http.StatusForbidden)
				return
			}
			c.Drop(m.ID)
			c.done(w, says, http.StatusNoContent, nil)
		}))
	mux.HandleFunc("POST /compute/v2.1/servers/{id}/action", c.of(says,
		func(w http.ResponseWriter, r *http.Request, m Machine) {
			body := sent(r)
			_, start := body["os-start"]
			_, stop := body["os-stop"]
			_, reboot := body["reboot"]
			running := m.Status == said[c.kind].running
			switch {
			case !c.may("member"):
				says(w, http.StatusForbidden)
			case !start && !stop && !reboot:
				says(w, http.StatusBadRequest)
			case start == running && !reboot:
				says(w, http.StatusConflict)
			default:
				c.turn(m, !stop)
				c.done(w, says, http.StatusAccepted, nil)
			}
		}))
}

// novaPage gives the part of a list that comes after the marker.
func novaPage(w http.ResponseWriter, r *http.Request, name string, all []fields) {
	from := slices.IndexFunc(all, func(one fields) bool { return one["id"] == r.URL.Query().Get("marker") }) + 1
	part, more := cut(all[from:], 1, number(r, "limit", 1000, 1000))
	answer := fields{name: part}
	if more {
		next := url.Values{"marker": {fmt.Sprint(part[len(part)-1]["id"])}, "limit": {strconv.Itoa(len(part))}}
		answer[name+"_links"] = []fields{{"rel": "next", "href": "http://nova" + r.URL.Path + "?" + next.Encode()}}
	}
	write(w, http.StatusOK, answer)
}

// SelectelID is the id of a machine there.
func SelectelID(id int) string { return fmt.Sprintf("5f6b1d0c-2b7f-4c53-9e55-%012d", id) }

func novaServer(m Machine) fields {
	metadata := fields{}
	for _, tag := range m.Tags {
		metadata[tag] = ""
	}
	return fields{
		"id": SelectelID(m.ID), "name": m.Name, "status": m.Status, "OS-EXT-STS:task_state": nil, "metadata": metadata,
		"flavor":                      fields{"id": m.Plan, "links": []fields{}},
		"OS-EXT-AZ:availability_zone": "ru-7a",
		"addresses": fields{"nat": []fields{
			{"addr": "192.168.0.5", "version": 4, "OS-EXT-IPS:type": "fixed"},
			{"addr": m.IPv4, "version": 4, "OS-EXT-IPS:type": "floating"},
			{"addr": m.IPv6, "version": 6, "OS-EXT-IPS:type": "fixed"},
		}},
	}
}
