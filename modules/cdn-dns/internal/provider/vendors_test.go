package provider

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

func TestEveryVendorKeepsRecords(t *testing.T) {
	t.Parallel()
	for _, v := range vendors() {
		t.Run(v.kind, func(t *testing.T) {
			t.Parallel()
			_, root := newStandIn(t, v.talk, "example.com", "deep.example.com")
			p := providers(t, "")
			p.confirm = 0
			keeps(t, open(t, p, v.kind, v.values(root, goodToken)))
		})
	}
}

func TestEveryVendorsPagesAreRead(t *testing.T) {
	t.Parallel()
	for _, v := range vendors() {
		t.Run(v.kind, func(t *testing.T) {
			t.Parallel()
			_, root := newStandIn(t, v.talk, manyZones(1100)...)
			zones, err := open(t, providers(t, ""), v.kind, v.values(root, goodToken)).Zones(t.Context())
			require.NoError(t, err)
			require.Len(t, zones, 1102)
			require.Equal(t, "zone1099.example", zones[1101].Name)
		})
	}
}

func TestEveryVendorsRefusalsAreTyped(t *testing.T) {
	t.Parallel()
	for _, v := range vendors() {
		t.Run(v.kind, func(t *testing.T) {
			t.Parallel()
			stand, root := newStandIn(t, v.talk, "example.com")
			_, err := open(t, providers(t, ""), v.kind, v.values(root, "sesame-open")).Zones(t.Context())
			require.Equal(t, CodeRefused, fault.Code(err))
			require.NotContains(t, err.Error(), "sesame", "a secret is in no error")

			c := open(t, providers(t, ""), v.kind, v.values(root, goodToken))
			stand.limited = 1
			_, err = c.Zones(t.Context())
			limited, ok := fault.As(err)
			require.True(t, ok)
			require.Equal(t, CodeError, limited.Code)
			require.Equal(t, 30*time.Second, limited.RetryAfter, "longer than the call may take: the caller comes back")
		})
	}
}

func TestATokenThatOnlyReadsLacksARight(t *testing.T) {
	t.Parallel()
	for kind, talk := range map[string]vendor{
		"hetzner": {talk: talkHetzner}, "linode": {talk: talkLinode},
	} {
		_, root := newStandIn(t, talk.talk, "example.com")
		c := open(t, providers(t, ""), kind, simple(root, "read only"))
		_, err := c.Add(t.Context(), zoneOf(t, c, "example.com"), Record{Name: "a.example.com", Type: TypeA, Value: "192.0.2.1"})
		lacking, ok := fault.As(err)
		require.True(t, ok, kind)
		require.Equal(t, CodeLacksRights, lacking.Code, kind)
		require.NotEmpty(t, lacking.Extra["missing"])
	}
}

func TestAServiceThatCannotBeReachedIsAFaultWithoutItsAddress(t *testing.T) {
	t.Parallel()
	for _, v := range vendors() {
		t.Run(v.kind, func(t *testing.T) {
			t.Parallel()
			_, err := open(t, providers(t, ""), v.kind, v.values("http://127.0.0.1:1", goodToken)).Zones(t.Context())
			shown, ok := fault.As(err)
			require.True(t, ok)
			require.Equal(t, CodeError, shown.Code)
			require.NotContains(t, shown.Detail, "127.0.0.1")
		})
	}
}
