package certificates

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// fakeCore remembers what it was given.
type fakeCore struct {
	given []agentapi.Certificates
	err   error
}

func (f *fakeCore) Certificates(_ context.Context, wanted agentapi.Certificates) error {
	f.given = append(f.given, wanted)
	return f.err
}

func content(t *testing.T, all ...agentapi.HostCertificate) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(agentapi.Certificates{Certificates: all})
	require.NoError(t, err)
	return raw
}

func TestUsableCertificatesReachTheCore(t *testing.T) {
	t.Parallel()
	core, authority := &fakeCore{}, agenttest.NewAuthority(t)
	pair := authority.Issue(t, "a.example.org", 1, time.Now().Add(24*time.Hour))
	require.NoError(t, apply(core)(context.Background(), content(t, pair)))
	require.Equal(t, []agentapi.HostCertificate{pair}, core.given[0].Certificates)
	require.NoError(t, apply(core)(context.Background(), content(t)), "none ends what was held")
	core.err = errors.New("the core is away")
	require.ErrorIs(t, apply(core)(context.Background(), content(t, pair)), core.err, "tried again, so not refused")
}

func TestWhatCannotBeUsedIsRefusedWithoutBeingQuoted(t *testing.T) {
	t.Parallel()
	authority := agenttest.NewAuthority(t)
	good, other := authority.Issue(t, "a.example.org", 1, time.Now()), authority.Issue(t, "b.example.org", 2, time.Now())
	stranger := good
	stranger.Key = other.Key
	misnamed := other
	misnamed.Host = "a.example.org"
	for name, raw := range map[string]json.RawMessage{
		"no JSON of the form": json.RawMessage(`{"certificates":"secretword"}`),
		"another key":         content(t, good, stranger),
		"another name":        content(t, misnamed),
		"no PEM":              content(t, agentapi.HostCertificate{Host: "a.example.org", Chain: "secretword", Key: "secretword"}),
	} {
		core := &fakeCore{}
		err := apply(core)(context.Background(), raw)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "secretword", name)
		require.NotContains(t, err.Error(), "PRIVATE KEY", name)
		require.Empty(t, core.given, name)
	}
}

func TestHoldingCertificatesIsACapability(t *testing.T) {
	t.Parallel()
	require.Contains(t, part.Capabilities([]part.Part{Part}), agentapi.Capability("document_certificates"))
}
