package profile

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func part(tag string, port int, outbounds ...string) Part {
	p := Part{
		Tag: tag,
		Inbound: json.RawMessage(fmt.Sprintf(`{"tag":%q,"port":%d,"protocol":"vless","settings":{"decryption":"none"},`+
			`"streamSettings":{"network":"raw","realitySettings":{"privateKey":"sesame-%d"}}}`, tag, port, port)),
		Rules: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"inboundTag":[%q],"outboundTag":"out"}`, tag))},
	}
	for _, one := range outbounds {
		p.Outbounds = append(p.Outbounds, json.RawMessage(one))
	}
	return p
}

const direct = `{"tag":"out","protocol":"freedom"}`

// The parts of all flows make one configuration, the same whatever their sequence; what no rule decides is blocked.
func TestPartsMakeOneConfiguration(t *testing.T) {
	t.Parallel()
	one, two := part("a", 1, direct), part("b", 2, `{"protocol":"freedom","tag":"out"}`)
	two.Resolves = true
	made, err := Build([]Part{two, one})
	require.NoError(t, err)
	again, err := Build([]Part{one, two})
	require.NoError(t, err)
	require.Equal(t, string(made), string(again))
	var config struct {
		Inbounds, Outbounds []struct{ Tag, Protocol string }
		Routing             struct {
			DomainStrategy string
			Rules          []struct{ InboundTag []string }
		}
	}
	require.NoError(t, json.Unmarshal(made, &config))
	require.Equal(t, "a", config.Inbounds[0].Tag)
	require.Equal(t, "b", config.Inbounds[1].Tag)
	require.Len(t, config.Outbounds, 2, "an outbound that both have is there once")
	require.Equal(t, "blackhole", config.Outbounds[0].Protocol)
	require.Equal(t, []string{"a"}, config.Routing.Rules[0].InboundTag)
	require.Equal(t, "IPOnDemand", config.Routing.DomainStrategy)
}

func TestWhatMakesNoConfigurationIsAnError(t *testing.T) {
	t.Parallel()
	_, err := Build([]Part{part("a", 1, direct), part("b", 2, `{"tag":"out","protocol":"blackhole"}`)})
	require.ErrorContains(t, err, `"out"`)
	renamed := part("a", 1)
	renamed.Tag = "b"
	_, err = Build([]Part{renamed})
	require.ErrorContains(t, err, "another tag")
}

// The barest configuration has the same tags and ports and no secret.
func TestTheBarestConfigurationHasTheInbounds(t *testing.T) {
	t.Parallel()
	made, err := Minimal([]Part{part("a", 1, direct)})
	require.NoError(t, err)
	require.NotContains(t, string(made), "sesame")
	require.JSONEq(t, `{"inbounds":[{"tag":"a","port":1,"protocol":"vless","settings":{"decryption":"none"}}],
		"outbounds":[`+blocked+`],"routing":{"domainStrategy":"AsIs","rules":[]}}`, string(made))
	_, err = Minimal([]Part{{Tag: "a", Inbound: json.RawMessage("no")}})
	require.Error(t, err)
}

// The order of members is no difference, nor is a list of users that the proxy panel has emptied.
func TestSameness(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{`{"inbounds":[{"settings":{"clients":[]}}]}`, `{"inbounds":[{"settings":{}}]}`, true},
		{`{"inbounds":[{"settings":{"clients":[{}]}}]}`, `{"inbounds":[{"settings":{}}]}`, false},
		{`{"a":1}`, `{"a":2}`, false},
		{`no`, `no`, false},
	} {
		require.Equal(t, one.same, Same(json.RawMessage(one.a), json.RawMessage(one.b)), one)
	}
}

// A difference names the inbound and the field; values of secrets are hidden.
func TestDifferencesNameFieldsAndHideSecrets(t *testing.T) {
	t.Parallel()
	ours, err := Build([]Part{part("a", 1, direct)})
	require.NoError(t, err)
	theirs, err := Build([]Part{part("a", 2, direct), part("b", 3)})
	require.NoError(t, err)
	found := Compare(ours, theirs)
	require.Contains(t, found, Difference{"a", "port", "1", "2"})
	require.Contains(t, found, Difference{"a", "streamSettings.realitySettings.privateKey", Hidden, Hidden})
	require.Contains(t, found, Difference{"b", "protocol", "", "vless"})
	require.NotContains(t, fmt.Sprint(found), "sesame")
	require.Empty(t, Compare(ours, ours))
	many := make([]Part, 0, Most)
	for i := range Most {
		many = append(many, part(fmt.Sprint("x", i), i))
	}
	theirs, err = Build(many)
	require.NoError(t, err)
	require.Len(t, Compare(ours, theirs), Most)
}
