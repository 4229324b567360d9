package remnawavetest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"panel/platform/pattern"
)

func userRoutes() []route {
	return []route{
		{http.MethodGet, "users/stream", "users:stream", true, (*Panel).streamUsers},
		{http.MethodGet, "users/by-username/{username}", "users:by-username", true, func(p *Panel, r *request) answer {
			return p.userBy("username", r.path["username"])
		}},
		{http.MethodGet, "users/by-short-uuid/{short}", "users:by-short-uuid", true, func(p *Panel, r *request) answer {
			return p.userBy("shortUuid", r.path["short"])
		}},
		{http.MethodPost, "users/resolve", "users:resolve", true, (*Panel).resolveUser},
		{http.MethodGet, "users/{userId}", "users:by-id", true, (*Panel).getUser},
		{http.MethodPost, "users", "users:create", false, (*Panel).createUser},
		{http.MethodPatch, "users", "users:update", false, (*Panel).changeUser},
		{http.MethodDelete, "users/{userId}", "users:delete", false, (*Panel).deleteUser},
		{http.MethodPost, "users/{userId}/actions/disable", "users:disable", false, func(p *Panel, r *request) answer {
			return p.switchUser(r, "DISABLED", "A029", "User already disabled")
		}},
		{http.MethodPost, "users/{userId}/actions/enable", "users:enable", false, func(p *Panel, r *request) answer {
			return p.switchUser(r, "ACTIVE", "A030", "User already enabled")
		}},
		{http.MethodPost, "users/{userId}/actions/revoke", "users:revoke-subscription", false, (*Panel).revokeUser},
	}
}

// AddUsers puts so many users there and gives the ids.
func (p *Panel) AddUsers(many int) (ids []int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for range many {
		user := p.newUser(fmt.Sprintf("user_%d", p.nextUser+1), stamp(p.clock.Now().AddDate(1, 0, 0)))
		ids = append(ids, user["id"].(int))
	}
	return ids
}

func (p *Panel) newUser(username, expires string) object {
	p.nextUser++
	now := stamp(p.now())
	user := object{
		"id": p.nextUser, "username": username, "status": "ACTIVE", "trafficLimitBytes": 0,
		"trafficLimitStrategy": "NO_RESET", "expireAt": expires, "telegramId": nil, "email": nil, "description": nil,
		"tag": nil, "hwidDeviceLimit": nil, "externalSquadUuid": nil, "lastTriggeredThreshold": 0, "subRevokedAt": nil,
		"lastTrafficResetAt": nil, "createdAt": now, "updatedAt": now, "activeInternalSquads": []object{},
		"userTraffic": object{
			"usedTrafficBytes": 0, "lifetimeUsedTrafficBytes": 0, "onlineAt": nil, "firstConnectedAt": nil,
			"lastConnectedNodeUuid": nil,
		},
	}
	renew(user)
	user["shortUuid"] = rand.Text()[:16]
	user["subscriptionUrl"] = "https://sub.example.com/api/sub/" + user["shortUuid"].(string)
	return p.add(users, user)
}

// renew gives a user new credentials.
func renew(user object) {
	user["trojanPassword"], user["vlessUuid"], user["ssPassword"] = rand.Text(), uuid.NewString(), rand.Text()
}

// userOf gives the user of the path, or the refusal.
func (p *Panel) userOf(r *request) (int, object, answer) {
	id, err := strconv.Atoi(r.path["userId"])
	if err != nil {
		return 0, nil, invalid("userId")
	}
	return id, p.row(users, "id", id), domain(http.StatusNotFound, "A063", "User with specified params not found")
}

func (p *Panel) userBy(field, value string) answer {
	if user := p.row(users, field, value); user != nil {
		return ok(user)
	}
	return domain(http.StatusNotFound, "A063", "User with specified params not found")
}

func (p *Panel) getUser(r *request) answer {
	_, user, refused := p.userOf(r)
	if user == nil {
		return refused
	}
	return ok(user)
}

// streamUsers pages by a cursor, which is a text of the panel's own.
func (p *Panel) streamUsers(r *request) answer {
	size, after := 100, 0
	query := r.URL.Query()
	if text := query.Get("size"); text != "" {
		if size, _ = strconv.Atoi(text); size < 1 || size > 1000 {
			return invalid("size")
		}
	}
	if text := query.Get("cursor"); text != "" {
		number, err := strconv.Atoi(strings.TrimPrefix(text, "c"))
		if err != nil {
			return invalid("cursor")
		}
		after = number
	}
	page := []object{}
	var next any
	// Ids only grow, so that the page begins at a place that needs no search of all.
	first, _ := slices.BinarySearchFunc(p.tables[users], after+1, func(user object, id int) int {
		return user["id"].(int) - id
	})
	for _, user := range p.tables[users][first:] {
		if query.Get("status") != "" && query.Get("status") != user["status"] {
			continue
		}
		if len(page) == size {
			next = "c" + strconv.Itoa(page[size-1]["id"].(int))
			break
		}
		page = append(page, user)
	}
	return ok(object{"users": page, "nextCursor": next, "hasMore": next != nil})
}

func (p *Panel) resolveUser(r *request) answer {
	given := 0
	var found object
	for _, name := range []string{"id", "shortUuid", "username"} {
		if value, has := r.body[name]; has {
			if number, is := value.(float64); is {
				value = int(number)
			}
			given, found = given+1, p.row(users, name, value)
		}
	}
	switch {
	case given != 1:
		return invalid("id", "shortUuid", "username")
	case found == nil:
		return domain(http.StatusNotFound, "A063", "User with specified params not found")
	}
	return ok(object{"id": found["id"], "username": found["username"], "shortUuid": found["shortUuid"]})
}

var username = pattern.Of(`^[A-Za-z0-9_-]{3,36}$`)

func (p *Panel) createUser(r *request) answer {
	name := r.text("username")
	expires, err := time.Parse(time.RFC3339, r.text("expireAt"))
	switch {
	case !username().MatchString(name):
		return invalid("username")
	case err != nil:
		return invalid("expireAt")
	case p.taken(users, "username", name, nil):
		return domain(http.StatusBadRequest, "A019", "User username already exists")
	}
	user := p.newUser(name, stamp(expires))
	apply(user, r, "status", "trafficLimitBytes", "trafficLimitStrategy", "description", "tag", "telegramId", "email",
		"hwidDeviceLimit")
	p.joinSquads(user, r)
	return made(user)
}

func (p *Panel) joinSquads(user object, r *request) {
	if !r.has("activeInternalSquads") {
		return
	}
	in := []object{}
	for _, id := range texts(r.body["activeInternalSquads"]) {
		if squad := p.row(squads, "uuid", id); squad != nil {
			in = append(in, object{"uuid": id, "name": squad["name"]})
		}
	}
	user["activeInternalSquads"] = in
}

func (p *Panel) changeUser(r *request) answer {
	user := p.row(users, "id", int(r.number("id")))
	if user == nil && r.has("username") {
		user = p.row(users, "username", r.text("username"))
	}
	status := r.text("status")
	switch expires, err := time.Parse(time.RFC3339, r.text("expireAt")); {
	case !r.has("id") && !r.has("username"):
		return invalid("id")
	case status != "" && status != "ACTIVE" && status != "DISABLED":
		return invalid("status")
	case r.has("expireAt") && (err != nil || expires.Before(p.now())):
		return invalid("expireAt")
	case user == nil:
		return domain(http.StatusNotFound, "A063", "User with specified params not found")
	}
	apply(user, r, "status", "trafficLimitBytes", "trafficLimitStrategy", "description", "tag", "telegramId", "email",
		"hwidDeviceLimit", "expireAt")
	p.joinSquads(user, r)
	user["updatedAt"] = stamp(p.now())
	return ok(user)
}

func (p *Panel) deleteUser(r *request) answer {
	_, user, refused := p.userOf(r)
	switch {
	case refused.status == http.StatusBadRequest:
		return refused
	case user == nil:
		return domain(http.StatusNotFound, "A025", "User not found")
	}
	p.drop(users, user)
	return done()
}

func (p *Panel) switchUser(r *request, status, already, message string) answer {
	_, user, refused := p.userOf(r)
	switch {
	case user == nil:
		return refused
	case user["status"] == status:
		return domain(http.StatusBadRequest, already, message)
	}
	user["status"] = status
	return ok(user)
}

func (p *Panel) revokeUser(r *request) answer {
	_, user, refused := p.userOf(r)
	if user == nil {
		return refused
	}
	if renew(user); r.body["revokeOnlyPasswords"] != true {
		user["shortUuid"] = rand.Text()[:16]
		user["subscriptionUrl"] = "https://sub.example.com/api/sub/" + user["shortUuid"].(string)
	}
	return ok(user)
}

// Change sets a field of a row, as if somebody had done so there. Users are named by their number, all else by its id.
func (p *Panel) Change(table string, id any, field string, value any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	name := "uuid"
	if number, is := id.(int64); is {
		name, id = "id", int(number)
	}
	p.row(table, name, id)[field] = value
}
