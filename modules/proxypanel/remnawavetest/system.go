package remnawavetest

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strconv"
	"time"
)

func systemRoutes() []route {
	return []route{
		{http.MethodGet, "system/metadata", "system:metadata", true, (*Panel).getMetadata},
		{http.MethodGet, "system/health", "system:remnawave-health", true, (*Panel).health},
		{http.MethodGet, "system/stats", "system:stats", true, (*Panel).stats},
		{http.MethodGet, "system/configuration", "system:configuration", true, (*Panel).configuration},
		{http.MethodGet, "system/tools/x25519/generate", "system:generate-x25519", true, (*Panel).keyPairs},
		{http.MethodGet, "metadata/user/{userId}", "metadata:get-user", true, (*Panel).readNote},
		{http.MethodPut, "metadata/user/{userId}", "metadata:upsert-user", false, (*Panel).writeNote},
		{http.MethodGet, "metadata/node/{uuid}", "metadata:get-node", true, (*Panel).readNote},
		{http.MethodPut, "metadata/node/{uuid}", "metadata:upsert-node", false, (*Panel).writeNote},
	}
}

func (p *Panel) getMetadata(*request) answer {
	return ok(object{
		"version": p.version, "build": object{"time": stamp(p.now()), "number": "1"},
		"git": object{"backend": object{"commitSha": "0"}, "frontend": object{"commitSha": "0"}},
	})
}

// health lists each process with its last sign of life; one that died stays listed with an old one.
func (p *Panel) health(*request) answer {
	list := []object{}
	for i, process := range []string{"api", "scheduler", "processor"} {
		beat := p.now()
		if since, silent := p.silent[process]; silent {
			beat = since
		}
		list = append(list, object{
			"instanceType": process, "instanceId": strconv.Itoa(i), "rss": 1 << 27, "heapUsed": 1 << 26, "heapTotal": 1 << 26,
			"eventLoopDelayMs": 0.1, "eventLoopP99Ms": 0.2, "uptime": 60, "pid": 10 + i, "timestamp": beat.UnixMilli(),
		})
	}
	return ok(object{"runtimeMetrics": list})
}

func (p *Panel) stats(*request) answer {
	counts := map[string]int{"ACTIVE": 0, "DISABLED": 0, "LIMITED": 0, "EXPIRED": 0}
	for _, user := range p.tables[users] {
		if status, is := user["status"].(string); is {
			counts[status]++
		}
	}
	online := 0
	for _, node := range p.tables[nodes] {
		if node["isConnected"] == true {
			online++
		}
	}
	return ok(object{
		"cpu": object{"cores": 2}, "memory": object{"total": 1 << 31, "free": 1 << 30, "used": 1 << 30}, "uptime": 60,
		"timestamp": p.now().UnixMilli(), "users": object{"statusCounts": counts, "totalUsers": len(p.tables[users])},
		"onlineStats": object{"onlineNow": 0, "lastDay": 0, "lastWeek": 0, "neverOnline": len(p.tables[users])},
		"nodes":       object{"totalOnline": online, "totalBytesLifetime": "0"},
	})
}

func (p *Panel) configuration(*request) answer {
	return ok(object{
		"notifications": object{"webhook": false, "bandwidthUsage": nil, "notConnectedAfter": nil},
		"service":       object{"cleanUsageHistory": false, "disableUserUsageRecords": false},
		"misc":          object{"shortUuidLength": 16, "subPublicDomain": "sub.example.com"},
	})
}

func (p *Panel) keyPairs(*request) answer {
	pairs := []object{}
	for range 30 {
		pairs = append(pairs, object{"publicKey": randomKey(), "privateKey": randomKey()})
	}
	return ok(object{"keypairs": pairs})
}

func randomKey() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	return base64.RawURLEncoding.EncodeToString(key)
}

// noteKey names the free metadata of a user or a node.
func noteKey(r *request) string { return r.path["userId"] + r.path["uuid"] }

func (p *Panel) readNote(r *request) answer {
	note, has := p.metadata[noteKey(r)]
	if !has {
		return domain(http.StatusNotFound, "A200", "Metadata not found")
	}
	return ok(object{"metadata": note})
}

func (p *Panel) writeNote(r *request) answer {
	note, is := r.body["metadata"].(object)
	if !is {
		return invalid("metadata")
	}
	id, err := strconv.Atoi(r.path["userId"])
	if p.row(users, "id", id) == nil && (err == nil || p.row(nodes, "uuid", r.path["uuid"]) == nil) {
		return domain(http.StatusNotFound, "A063", "User not found")
	}
	p.metadata[noteKey(r)] = note
	return ok(object{"metadata": note})
}

// job is a question to the nodes; it is answered soon after it was asked, and kept for a day.
type job struct {
	ready  time.Time
	result object
}

func connectionRoutes() []route {
	return []route{
		{http.MethodPost, "connections/by-user/{userId}", "connections:by-user", true, (*Panel).askUser},
		{http.MethodGet, "connections/by-user/{jobId}", "connections:by-user-result", true, (*Panel).jobResult},
		{http.MethodPost, "connections/by-node/{nodeUuid}", "connections:by-node", true, (*Panel).askNode},
		{http.MethodGet, "connections/by-node/{jobId}", "connections:by-node-result", true, (*Panel).jobResult},
		{http.MethodPost, "connections/drop", "connections:drop", false, (*Panel).dropConnections},
		{http.MethodPost, "node-plugins/executor", "node-plugins:executor", false, (*Panel).execute},
		{http.MethodGet, "bandwidth-stats/nodes", "bandwidth-stats:nodes-usage", true, (*Panel).nodesUsage},
		{http.MethodGet, "hwid/devices/{userId}", "hwid-user-devices:list-by-user", true, (*Panel).devices},
	}
}

func (p *Panel) enqueue(result object) answer {
	p.nextJob++
	id := strconv.Itoa(p.nextJob)
	p.jobs[id] = job{p.clock.Now().Add(100 * time.Millisecond), result}
	return made(object{"jobId": id})
}

func (p *Panel) askUser(r *request) answer {
	id, user, refused := p.userOf(r)
	if user == nil {
		return refused
	}
	seen := []object{}
	for _, node := range p.connected() {
		seen = append(seen, object{"nodeUuid": node["uuid"], "nodeName": node["name"], "ips": []object{}})
	}
	return p.enqueue(object{"success": true, "userId": id, "nodes": seen})
}

func (p *Panel) askNode(r *request) answer {
	if p.row(nodes, "uuid", r.path["nodeUuid"]) == nil {
		return domain(http.StatusNotFound, "A011", "Node not found")
	}
	return p.enqueue(object{"success": true, "nodeUuid": r.path["nodeUuid"], "users": []object{}})
}

func (p *Panel) jobResult(r *request) answer {
	found, known := p.jobs[r.path["jobId"]]
	if !known {
		return domain(http.StatusNotFound, "A218", "Job not found")
	}
	complete := !p.clock.Now().Before(found.ready)
	shown := object{
		"isCompleted": complete, "isFailed": false, "progress": object{"total": 1, "completed": 0, "percent": 0},
		"result": nil,
	}
	if complete {
		shown["result"] = found.result
	}
	return ok(shown)
}

func (p *Panel) connected() (up []object) {
	for _, node := range p.tables[nodes] {
		if node["isConnected"] == true {
			up = append(up, node)
		}
	}
	return up
}

func (p *Panel) dropConnections(r *request) answer {
	by, isBy := r.body["dropBy"].(object)
	_, isTarget := r.body["targetNodes"].(object)
	switch {
	case !isBy || by["userIds"] == nil && by["ipAddresses"] == nil:
		return invalid("dropBy")
	case !isTarget:
		return invalid("targetNodes")
	case len(p.connected()) == 0:
		return domain(http.StatusNotFound, "A219", "No connected nodes found")
	}
	return queued()
}

func (p *Panel) execute(r *request) answer {
	if _, is := r.body["command"].(object); !is {
		return invalid("command")
	}
	if len(p.connected()) == 0 {
		return domain(http.StatusNotFound, "A219", "No connected nodes found")
	}
	return queued()
}

func (p *Panel) nodesUsage(r *request) answer {
	for _, name := range []string{"start", "end"} {
		if _, err := time.Parse(time.DateOnly, r.URL.Query().Get(name)); err != nil {
			return invalid(name)
		}
	}
	return ok(object{"categories": []string{}, "sparklineData": []int{}, "topNodes": []object{}, "series": []object{}})
}

func (p *Panel) devices(r *request) answer {
	if _, user, refused := p.userOf(r); user == nil {
		return refused
	}
	return ok(object{"total": 0, "devices": []object{}})
}
