package core

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/xtls/xray-core/common/protocol"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/infra/conf"
	"github.com/xtls/xray-core/proxy"
	"github.com/xtls/xray-core/proxy/hysteria"
	"github.com/xtls/xray-core/proxy/shadowsocks_2022"
	"github.com/xtls/xray-core/proxy/trojan"
	vless "github.com/xtls/xray-core/proxy/vless/inbound"
	vmess "github.com/xtls/xray-core/proxy/vmess/inbound"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

// fileClients lies beside the folders of the core processes, like fileCertificates.
const fileClients = "clients.json"

// lists are the clients of the node by flow and id.
type lists map[string]map[string]agentapi.Client

// inForce are lists as they lie on the disk, with how far those are that come by their changes.
type inForce struct {
	lists lists
	at    map[string]agentapi.ListPosition
	skew  time.Duration
}

// readLists reads lists of both kinds. One that comes by its changes goes before an earlier whole one.
func readLists(dir string) (inForce, error) {
	var stored agentapi.Clients
	if _, err := disk.ReadJSON(filepath.Join(dir, fileClients), &stored); err != nil {
		return inForce{}, err
	}
	held := lists{}
	for _, flow := range stored.Flows {
		clients := make(map[string]agentapi.Client, len(flow.Clients))
		for _, client := range flow.Clients {
			clients[client.ID] = client
		}
		held[flow.FlowID] = clients
	}
	at, skew, err := held.readLogs(dir)
	return inForce{lists: held, at: at, skew: skew}, err
}

// next is when the time of a client ends after a moment; zero when no one's does.
func (l lists) next(now time.Time) (first time.Time) {
	for _, clients := range l {
		for _, client := range clients {
			if client.Expires.After(now) && (first.IsZero() || client.Expires.Before(first)) {
				first = client.Expires
			}
		}
	}
	return first
}

// listed is an inbound whose clients come from a list.
type listed struct {
	agentapi.ListOf

	tag, protocol, method string
}

// listedIn finds the inbounds of a configuration whose clients come from lists; in what is no configuration there are
// none.
func listedIn(raw []byte) []listed {
	var read struct {
		Inbounds []struct {
			Tag       string
			Protocol  string
			ClientsOf *agentapi.ListOf `json:"clients_of"`
			Settings  struct{ Method string }
		}
	}
	if json.Unmarshal(raw, &read) != nil {
		return nil
	}
	var found []listed
	for _, in := range read.Inbounds {
		if in.ClientsOf != nil && in.Tag != "" {
			one := listed{ListOf: *in.ClientsOf, tag: in.Tag, protocol: in.Protocol, method: in.Settings.Method}
			found = append(found, one)
		}
	}
	return found
}

// member is how the settings of the inbound call its clients.
func (l listed) member() string {
	if l.protocol == protocolWireGuard {
		return "peers"
	}
	return "clients"
}

// user is a client in the form of the inbound's configuration.
func (l listed) user(client agentapi.Client) object {
	if l.protocol == protocolWireGuard {
		return l.peer(client)
	}
	user := object{"email": agentapi.ClientEmail(l.FlowID, client.ID)}
	switch l.protocol {
	case "vless":
		user["id"] = client.UUID
		if l.Flow != "" {
			user["flow"] = l.Flow
		}
	case "vmess":
		user["id"] = client.UUID
	case "hysteria":
		user["auth"] = client.Password()
	case "shadowsocks":
		user["password"] = client.SharedKey(l.method)
	default:
		user["password"] = client.Password()
	}
	return user
}

// nobody is a client whose secret is known to nobody: without any, Shadowsocks 2022 would let in whoever knows the key
// of the server, which all clients do.
func nobody() agentapi.Client {
	made := agentapi.Client{ID: "nobody", UUID: uuid.NewString(), Key: make([]byte, 32)}
	_, _ = rand.Read(made.Key) // never fails (crypto/rand)
	return made
}

// putInto adds the clients of lists to the inbounds of a configuration.
func (l lists) putInto(parsed *conf.Config, in []listed) error {
	for i := range parsed.InboundConfigs {
		one := &parsed.InboundConfigs[i]
		at := slices.IndexFunc(in, func(x listed) bool { return x.tag == one.Tag })
		if at < 0 || one.Settings == nil {
			continue
		}
		settings, err := l.added(*one.Settings, in[at])
		if err != nil {
			return fmt.Errorf("put the clients into the inbound %s: %w", one.Tag, err)
		}
		one.Settings = &settings
	}
	return nil
}

func (l lists) added(settings json.RawMessage, in listed) (json.RawMessage, error) {
	parts := map[string]json.RawMessage{}
	if err := json.Unmarshal(settings, &parts); err != nil {
		return nil, err
	}
	var users []any
	if own, there := parts[in.member()]; there {
		if err := json.Unmarshal(own, &users); err != nil {
			return nil, err
		}
	}
	for _, client := range l[in.FlowID] {
		if in.protocol != protocolWireGuard || client.Number > 0 { // else it has no address, and comes again
			users = append(users, in.user(client))
		}
	}
	if len(users) == 0 && in.protocol == "shadowsocks" {
		users = append(users, in.user(nobody()))
	}
	var err error
	if parts[in.member()], err = json.Marshal(users); err != nil {
		return nil, err
	}
	return json.Marshal(parts)
}

// members are the users that the core knows for some clients of an inbound: it makes them from their configuration like
// those of its start.
func (l listed) members(clients []agentapi.Client) ([]*protocol.MemoryUser, error) {
	if l.protocol == protocolWireGuard {
		return l.peers(clients), nil
	}
	users := make([]object, len(clients))
	for i, client := range clients {
		users[i] = l.user(client)
	}
	settings := object{"clients": users}
	switch l.protocol {
	case "vless":
		settings["decryption"] = "none"
	case "hysteria":
		settings["version"] = 2
	case "shadowsocks":
		settings["method"], settings["password"] = l.method, clients[0].SharedKey(l.method)
	}
	raw, err := json.Marshal(object{"inbounds": []object{{
		"tag": l.tag, "port": 1, "protocol": l.protocol, "settings": settings,
	}}})
	if err != nil {
		return nil, err
	}
	config, err := build(raw, nil, nil)
	if err != nil {
		return nil, err
	}
	return membersOf(config.Inbound[0])
}

func membersOf(in *xray.InboundHandlerConfig) ([]*protocol.MemoryUser, error) {
	settings, err := in.ProxySettings.GetInstance()
	if err != nil {
		return nil, err
	}
	var users []*protocol.User
	switch of := settings.(type) {
	case *vless.Config:
		users = of.Clients
	case *vmess.Config:
		users = of.User
	case *trojan.ServerConfig:
		users = of.Users
	case *hysteria.ServerConfig:
		users = of.Users
	case *shadowsocks_2022.MultiUserServerConfig:
		users = of.Users
	default:
		return nil, fmt.Errorf("the inbound %s has no clients", in.Tag)
	}
	members := make([]*protocol.MemoryUser, len(users))
	for i, user := range users {
		if members[i], err = user.ToMemoryUser(); err != nil {
			return nil, err
		}
	}
	return members, nil
}

// managerOf gives who knows the users of an inbound; nil where nobody does.
func managerOf(handler any) proxy.UserManager {
	behind, ok := handler.(proxy.GetInbound)
	if !ok {
		return nil
	}
	manager, _ := behind.GetInbound().(proxy.UserManager)
	return manager
}
