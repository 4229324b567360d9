package readiness

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

var errAway = errors.New("the database is away")

func with(code agentapi.ResultCode, text string) nodesapi.Result {
	return nodesapi.Result{Code: string(code), Error: text}
}

// A port is confirmed by evidence alone: an agent that bound it, or whose own core holds it. One that somebody else
// holds blocks, also where the process has no name; silence confirms nothing and blocks nothing. Specification,
// Errors: found port conflicts are not overridden by force_apply.
func TestWhatABindShows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result  nodesapi.Result
		data    *agentapi.BindData
		err     error
		status  string
		code    string
		blocker string
		holder  string
	}{
		"bound":        {data: &agentapi.BindData{Bound: true}, status: plan.Confirmed, code: "port_bound"},
		"its own core": {data: &agentapi.BindData{Own: true}, status: plan.Confirmed, code: "port_own"},
		"a named process": {
			data: &agentapi.BindData{Owner: "nginx"}, status: plan.Failed, code: "port_held",
			blocker: BlockedPort, holder: "nginx",
		},
		"an unnamed process": {
			result: with(agentapi.CodePortInUse, ""), status: plan.Failed,
			code: "port_held_unknown", blocker: BlockedPort,
		},
		"an unnamed one in data": {
			result: with(agentapi.CodePortInUse, ""), data: &agentapi.BindData{},
			status: plan.Failed, code: "port_held_unknown", blocker: BlockedPort,
		},
		"no right to bind": {
			result: with("", "permission denied"), data: &agentapi.BindData{},
			status: plan.Failed, code: "port_not_bound",
		},
		"not asked": {err: errAway, status: plan.Unconfirmed, code: "agent_not_asked"},
		"not asked, with data": {
			err: errAway, data: &agentapi.BindData{Bound: true}, status: plan.Unconfirmed,
			code: "agent_not_asked",
		},
		"no answer in time": {
			result: with(agentapi.CodeExpired, ""), status: plan.Unconfirmed,
			code: "agent_silent",
		},
		"an agent that cannot": {result: with("", "unknown command"), status: plan.Unconfirmed, code: "agent_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := bound(c.result, c.data, c.err)
			require.Equal(t, c.status, f.status)
			require.Equal(t, c.code, f.seen.Code)
			require.NotEmpty(t, f.seen.Text)
			require.Equal(t, c.blocker, f.blocker)
			require.Equal(t, c.holder, f.holder)
			require.Equal(t, c.status == plan.Confirmed, f.confirmed())
		})
	}
}

// A port is reachable when the peer met the secret word of this very check there; whoever else answers does not
// count. Of a port that the core holds already, which says no word, a connection is all there is to see.
func TestWhatAPeerMet(t *testing.T) {
	t.Parallel()
	peer := nodesapi.Node{ID: "b", Name: "waw-02"}
	for name, c := range map[string]struct {
		l4     string
		data   *agentapi.DialData
		word   string
		err    error
		said   bool
		status string
		code   string
	}{
		"the word": {data: &agentapi.DialData{
			Connected: true, NonceMatched: true,
			LatencyMillis: 12.4,
		}, word: "w", said: true, status: plan.Confirmed, code: "peer_reached"},
		"somebody else": {
			data: &agentapi.DialData{Connected: true}, word: "w", said: true,
			status: plan.Failed, code: "peer_met_other",
		},
		"a core that says nothing": {
			data: &agentapi.DialData{Connected: true}, said: true, status: plan.Confirmed,
			code: "peer_reached",
		},
		"nobody": {
			data: &agentapi.DialData{}, word: "w", said: true, status: plan.Failed,
			code: "peer_not_reached",
		},
		"nobody where the core is": {
			data: &agentapi.DialData{}, said: true, status: plan.Failed,
			code: "peer_not_reached",
		},
		"nobody over udp": {
			l4: agentapi.UDP, data: &agentapi.DialData{}, word: "w", said: true, status: plan.Failed,
			code: "peer_udp_silent",
		},
		"a peer that did not answer": {word: "w"},
		"a peer that was not asked": {
			data: &agentapi.DialData{Connected: true, NonceMatched: true}, word: "w",
			err: errAway,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, said := dialled(peer, c.l4, c.data, c.word, c.err)
			require.Equal(t, c.said, said, "else the panel dials itself")
			require.Equal(t, c.status, f.status)
			require.Equal(t, c.code, f.seen.Code)
			if said {
				require.Equal(t, "waw-02", f.seen.Params["node"])
			}
			require.Empty(t, f.blocker, "force passes what a firewall hides")
		})
	}
}

// REALITY needs a site with TLS 1.3 and h2 that is not the node itself: what else the node met fails, and a target
// inside is never forced unless the drawing allows it.
func TestWhatAHandshakeShows(t *testing.T) {
	t.Parallel()
	good := agentapi.TLSData{Version: "1.3", ALPN: "h2", NameMatches: true, LatencyMillis: 31}
	inside, old, noH2, small, large := good, good, good, good, good
	small.ChainBytes, large.ChainBytes = 3499, 3500
	inside.Inside, old.Version, noH2.ALPN = true, "1.2", "http/1.1"
	for name, c := range map[string]struct {
		result  nodesapi.Result
		data    *agentapi.TLSData
		private bool
		mldsa   bool
		err     error
		status  string
		code    string
		blocker string
	}{
		"suitable":           {data: &good, status: plan.Confirmed, code: "target_suitable"},
		"TLS 1.2":            {data: &old, status: plan.Failed, code: "target_unsuitable"},
		"no h2":              {data: &noH2, status: plan.Failed, code: "target_unsuitable"},
		"inside":             {data: &inside, status: plan.Failed, code: "target_inside", blocker: BlockedTarget},
		"inside and allowed": {data: &inside, private: true, status: plan.Confirmed, code: "target_suitable"},
		"small for ML-DSA":   {data: &small, mldsa: true, status: plan.Failed, code: "target_chain_small"},
		"large for ML-DSA":   {data: &large, mldsa: true, status: plan.Confirmed, code: "target_suitable"},
		"an older agent":     {data: &good, mldsa: true, status: plan.Confirmed, code: "target_suitable"},
		"small, without":     {data: &small, status: plan.Confirmed, code: "target_suitable"},
		"unreachable": {
			result: with(agentapi.CodeUnreachable, "refused"), data: &agentapi.TLSData{}, status: plan.Failed,
			code: "target_unreachable",
		},
		"no TLS": {
			result: with(agentapi.CodeUnreachable, "refused"), data: &agentapi.TLSData{RemoteAddress: "192.0.2.1:443"},
			status: plan.Failed, code: "target_unreachable",
		},
		"an agent that fails": {
			result: with(agentapi.CodeBadArgs, "what"), data: &agentapi.TLSData{}, status: plan.Unconfirmed,
			code: "agent_failed",
		},
		"no answer in time": {
			result: with(agentapi.CodeExpired, ""), status: plan.Unconfirmed,
			code: "agent_silent",
		},
		"not asked":             {err: errAway, status: plan.Unconfirmed, code: "agent_not_asked"},
		"not asked, but inside": {err: errAway, data: &inside, status: plan.Unconfirmed, code: "agent_not_asked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := shaken(c.result, c.data, plan.Probe{Private: c.private, MLDSA65: c.mldsa}, c.err)
			require.Equal(t, c.status, f.status)
			require.Equal(t, c.code, f.seen.Code)
			require.Equal(t, c.blocker, f.blocker)
			if c.code == "target_unreachable" {
				require.Equal(t, "refused", f.seen.Params["reason"])
			}
			if c.code == "target_suitable" || c.code == "target_unsuitable" {
				require.Equal(t, c.data.Version, f.seen.Params["version"])
				require.Equal(t, c.data.ALPN, f.seen.Params["alpn"])
			}
		})
	}
}
