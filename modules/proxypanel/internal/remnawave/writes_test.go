package remnawave_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/config"
	"panel/platform/outbound"
)

// free is a pace that lets everybody go at once.
type free struct{}

func (free) Turn(context.Context, string) (time.Duration, error) { return 0, nil }
func (free) Hold(context.Context, string, time.Duration) error   { return nil }

func opened(t *testing.T) (*remnawave.Client, *remnawavetest.Panel) {
	t.Helper()
	there := remnawavetest.New(t)
	cfg, err := config.Of(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1"})
	require.NoError(t, err)
	network, err := outbound.NewNetwork(cfg)
	require.NoError(t, err)
	access := remnawave.Access{BaseURL: there.URL, Token: there.Token(time.Hour, "*")}
	client, err := remnawave.Open(network, access, free{}, clockwork.NewRealClock())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client, there
}

const (
	plainConfig = `{"inbounds":[{"tag":"one","port":8443,"protocol":"vless","settings":{"decryption":"none"}}],` +
		`"outbounds":[{"tag":"none","protocol":"blackhole"}]}`
	movedConfig = `{"inbounds":[{"tag":"one","port":9443,"protocol":"vless","settings":{"decryption":"none"}}],` +
		`"outbounds":[{"tag":"none","protocol":"blackhole"}]}`
)

// A profile is made, its inbound keeps its id while its port changes, and it goes; refusals are told apart.
func TestProfilesAreWritten(t *testing.T) {
	t.Parallel()
	client, there := opened(t)
	ctx := t.Context()
	made, err := client.MakeProfile(ctx, "panel_1", json.RawMessage(plainConfig))
	require.NoError(t, err)
	id := made.IDs()["one"]
	require.NotEmpty(t, id)
	moved, err := client.SetProfile(ctx, made.ID, json.RawMessage(movedConfig))
	require.NoError(t, err)
	require.Equal(t, id, moved.IDs()["one"])
	all, err := client.Profiles(ctx)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.JSONEq(t, movedConfig, string(all[1].Config))

	_, err = client.MakeProfile(ctx, "panel_1", json.RawMessage(`{"inbounds":[{"tag":"two"}],"outbounds":[{}]}`))
	require.True(t, remnawave.NameTaken(err), err)
	_, err = client.MakeProfile(ctx, "panel_2", json.RawMessage(plainConfig))
	require.True(t, remnawave.TagTaken(err), err)
	_, err = client.SetProfile(ctx, made.ID, json.RawMessage(`{"inbounds":[],"outbounds":[{}]}`))
	var problem *remnawave.Problem
	require.ErrorAs(t, err, &problem)
	require.Contains(t, problem.Detail, "inbounds", "the reason is told")
	require.True(t, remnawave.Unclear(err), "a 500 hides what happened")
	require.NoError(t, client.NameProfile(ctx, made.ID, "panel_3"))

	require.NoError(t, client.DropProfile(ctx, made.ID))
	require.NoError(t, client.DropProfile(ctx, made.ID), "it is gone already")
	_, err = client.SetProfile(ctx, made.ID, json.RawMessage(plainConfig))
	require.True(t, remnawave.Gone(err), err)
	require.Len(t, there.Dump()["config-profiles"], 1)
}

// A node runs what it is told; without inbounds it is disabled and has no profile, and is enabled again with one.
func TestNodesRunWhatTheyAreTold(t *testing.T) {
	t.Parallel()
	client, there := opened(t)
	ctx, id := t.Context(), there.AddNode("ams", "192.0.2.1", true)
	before, err := client.NodeState(ctx, id)
	require.NoError(t, err)
	require.Equal(t, remnawavetest.DefaultProfile, before.Runs.ProfileID)
	made, err := client.MakeProfile(ctx, "panel_1", json.RawMessage(plainConfig))
	require.NoError(t, err)
	require.NoError(t, client.RunNode(ctx, id, made.ID, []string{made.IDs()["one"]}))
	all, err := client.NodeStates(ctx)
	require.NoError(t, err)
	require.Equal(t, made.ID, all[0].Runs.ProfileID)
	require.Equal(t, []string{made.IDs()["one"]}, all[0].InboundIDs())

	require.NoError(t, client.RunNode(ctx, id, made.ID, nil))
	none, err := client.NodeState(ctx, id)
	require.NoError(t, err)
	require.True(t, none.Disabled)
	require.Empty(t, none.Runs.ProfileID)
	require.NoError(t, client.EnableNode(ctx, id))
	_, err = client.NodeState(ctx, "0199a0de-0000-7000-8000-000000000001")
	require.True(t, remnawave.Gone(err), err)
}

// Squads are replaced whole; a disabled host stays disabled whatever of it is changed.
func TestSquadsAndHostsAreWritten(t *testing.T) {
	t.Parallel()
	client, there := opened(t)
	ctx, squad := t.Context(), there.AddSquad("All")
	made, err := client.MakeProfile(ctx, "panel_1", json.RawMessage(plainConfig))
	require.NoError(t, err)
	inbound := made.IDs()["one"]
	require.NoError(t, client.SetSquad(ctx, squad, []string{inbound}))
	squads, err := client.SquadStates(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{inbound}, squads[0].InboundIDs())
	require.NoError(t, client.SetSquad(ctx, squad, nil))
	one, err := client.SquadState(ctx, squad)
	require.NoError(t, err)
	require.Empty(t, one.InboundIDs())

	remark, address, port, tags := "Europe", "a.example.com", 8443, []string{"MANAGED:X"}
	host, err := client.MakeHost(ctx, remnawave.HostWrite{
		Remark: &remark, Address: &address, Port: &port, Disabled: true, Tags: &tags,
		Inbound: &remnawave.HostAt{ProfileID: made.ID, InboundID: inbound},
	})
	require.NoError(t, err)
	require.True(t, host.Disabled)
	port = 9443
	host, err = client.ChangeHost(ctx, host.ID, remnawave.HostWrite{Port: &port, Disabled: true})
	require.NoError(t, err)
	require.True(t, host.Disabled, "the trap of PATCH")
	hosts, err := client.HostStates(ctx)
	require.NoError(t, err)
	require.True(t, hosts[0].Bears("MANAGED:X"))
	require.Equal(t, remark, hosts[0].Remark)
	require.Equal(t, 9443, hosts[0].Port)
	require.NoError(t, client.DropHost(ctx, host.ID))
	require.NoError(t, client.DropHost(ctx, host.ID))
	_, err = client.ChangeHost(ctx, host.ID, remnawave.HostWrite{})
	require.True(t, remnawave.Gone(err), err)
}

// What the panel answers to a write is told apart: done, refused, or nobody knows.
func TestAnUnclearAnswerIsNoRefusal(t *testing.T) {
	t.Parallel()
	client, there := opened(t)
	for name, one := range map[string]struct {
		answer  http.HandlerFunc
		unclear bool
	}{
		"the socket is destroyed": {func(w http.ResponseWriter, _ *http.Request) { remnawavetest.Destroy(w) }, true},
		"500 without a reason":    {status(http.StatusInternalServerError, `{"statusCode":500,"message":"x"}`), true},
		"a page":                  {status(http.StatusOK, `<html></html>`), false},
		"401":                     {status(http.StatusUnauthorized, `{"statusCode":401,"message":"Unauthorized"}`), false},
		"403":                     {status(http.StatusForbidden, `{"statusCode":403,"message":"Forbidden resource"}`), false},
	} {
		there.Gate(one.answer)
		_, err := client.MakeProfile(t.Context(), "panel_1", json.RawMessage(plainConfig))
		require.Error(t, err, name)
		require.Equal(t, one.unclear, remnawave.Unclear(err), "%s: %v", name, err)
	}
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}
