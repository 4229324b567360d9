package remnawave

import (
	"context"
	"net/http"
	"time"
)

// v3 speaks with Remnawave 3: users are integers, connections stand under /connections, and what only happens is
// answered without a body.
type v3 struct{}

func (v3) major() int  { return 3 }
func (v3) tested() int { return 3 }

// survey asks for the processes, the figures, the nodes and the configuration. What a scope is missing for is left out
// and told by the probes.
func (v3) survey(ctx context.Context, c *Client) (Figures, beats, error) {
	var health struct {
		Metrics []struct {
			Process   string `json:"instanceType"`
			Timestamp int64  `json:"timestamp"` // milliseconds of the panel's clock
		} `json:"runtimeMetrics"`
	}
	info, err := c.call(ctx, http.MethodGet, "/system/health", nil, &health)
	if err != nil {
		return Figures{}, nil, err
	}
	now, seen := c.theirs(info), beats{}
	for _, one := range health.Metrics {
		age := now.Sub(time.UnixMilli(one.Timestamp))
		if known, has := seen[one.Process]; !has || age < known {
			seen[one.Process] = age
		}
	}
	figures, err := v3{}.figures(ctx, c)
	return figures, seen, err
}

func (v3) figures(ctx context.Context, c *Client) (found Figures, err error) {
	var stats struct {
		Users struct {
			Total int `json:"totalUsers"`
		} `json:"users"`
		Online struct {
			Now int `json:"onlineNow"`
		} `json:"onlineStats"`
	}
	if _, err := c.call(ctx, http.MethodGet, "/system/stats", nil, &stats); err != nil {
		return found, err
	}
	found.Users, found.UsersOnline = stats.Users.Total, stats.Online.Now
	var nodes []struct {
		Connected bool `json:"isConnected"`
		Disabled  bool `json:"isDisabled"`
	}
	if _, err := c.call(ctx, http.MethodGet, "/nodes", nil, &nodes); err != nil && CauseOf(err) != ScopeMissing {
		return found, err
	}
	found.Nodes = len(nodes)
	for _, node := range nodes {
		switch {
		case node.Disabled:
			found.NodesDisabled++
		case node.Connected:
			found.NodesOnline++
		}
	}
	var set struct {
		Notifications struct {
			Webhook *bool `json:"webhook"`
		} `json:"notifications"`
	}
	_, err = c.call(ctx, http.MethodGet, "/system/configuration", nil, &set)
	found.Webhooks = set.Notifications.Webhook
	return found, err
}

// nothing is an id that no user has, noUUID one that nothing has.
const (
	nothing = "0"
	noUUID  = "ffffffff-ffff-4fff-bfff-ffffffffffff"
)

// probes ask for what is not there, or with a body that the validation refuses: the scope is asked for before both.
func (v3) probes() []probe {
	empty := struct{}{}
	return []probe{
		{Scope{"system:read", Read}, http.MethodGet, "/system/configuration", nil},
		{Scope{"nodes:read", Read}, http.MethodGet, "/nodes/" + noUUID, nil},
		{Scope{"hosts:read", Read}, http.MethodGet, "/hosts/" + noUUID, nil},
		{Scope{"config-profiles:read", Read}, http.MethodGet, "/config-profiles/" + noUUID, nil},
		{Scope{"internal-squads:read", Read}, http.MethodGet, "/internal-squads/" + noUUID, nil},
		{Scope{"users:read", Read}, http.MethodGet, "/users/" + nothing, nil},
		{Scope{"bandwidth-stats:read", Read}, http.MethodGet, "/bandwidth-stats/nodes", nil},
		{Scope{"hwid-user-devices:read", Read}, http.MethodGet, "/hwid/devices/" + nothing, nil},
		{Scope{"connections:read", Read}, http.MethodGet, "/connections/by-user/" + nothing, nil},
		{Scope{"users:disable", Abuse}, http.MethodPost, "/users/" + nothing + "/actions/disable", nil},
		{Scope{"users:enable", Abuse}, http.MethodPost, "/users/" + nothing + "/actions/enable", nil},
		{Scope{"users:revoke-subscription", Abuse}, http.MethodPost, "/users/" + nothing + "/actions/revoke", empty},
		{Scope{"connections:drop", Abuse}, http.MethodPost, "/connections/drop", empty},
		{Scope{"node-plugins:executor", Abuse}, http.MethodPost, "/node-plugins/executor", empty},
		{Scope{"users:write", Provisioning}, http.MethodPost, "/users", empty},
		{Scope{"internal-squads:write", Provisioning}, http.MethodPost, "/internal-squads", empty},
		{Scope{"hosts:write", Provisioning}, http.MethodPost, "/hosts", empty},
		{Scope{"config-profiles:write", Provisioning}, http.MethodPost, "/config-profiles", empty},
		{Scope{"nodes:write", Provisioning}, http.MethodPost, "/nodes", empty},
		{Scope{"metadata:*", Provisioning}, http.MethodPut, "/metadata/user/" + nothing, empty},
	}
}
