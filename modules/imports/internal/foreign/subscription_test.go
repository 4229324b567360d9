package foreign_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
)

const address = "s8k2m4qa7xv1c9zt"

// A subscription is kept as it is, unless somebody could guess it or it is no part of an address.
func TestASubscriptionThatCouldBeGuessedIsLeftOut(t *testing.T) {
	t.Parallel()
	for id, kept := range map[string]bool{
		address: true, "abcdefghijkl": true, "aB3_dE6-gH9jK2mN": true, strings.Repeat("x", 128): true,
		"anna": false, "abcdefghijk": false, strings.Repeat("x", 129): false, "abcdefgh/../ijkl": false,
		"abcdefgh ijkl": false, "abcdefghijkl\n": false, "аннааннааннаанна": false,
	} {
		c, one := &foreign.Config{}, &foreign.Client{Label: "anna"}
		c.TakeSubscription(one, id, "clients[0].subId", "in-443")
		if kept {
			require.Equal(t, id, one.Subscription)
			require.Empty(t, c.Findings)
			continue
		}
		require.Empty(t, one.Subscription, id)
		require.Equal(t, []foreign.Finding{
			{Path: "clients[0].subId", Code: foreign.SubscriptionWeak, Entry: "in-443", What: "anna"},
		}, c.Findings)
	}
	c, one := &foreign.Config{}, &foreign.Client{}
	c.TakeSubscription(one, "", "", "")
	require.Empty(t, c.Findings, "one that never had any loses nothing")
}

// Two clients of different names with one subscription are one person, unless something holds for one of them alone.
func TestTwoClientsWithOneSubscriptionAreOnePerson(t *testing.T) {
	t.Parallel()
	end := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	elsewhere := end.In(time.FixedZone("MSK", 3*60*60))
	full := foreign.Client{
		Label: "anna", Subscription: address, ExpiresAt: &end, Quota: 100, Reset: "monthly", Addresses: 2,
	}
	for name, change := range map[string]func(c *foreign.Client){
		"an end":              func(c *foreign.Client) { c.ExpiresAt = nil },
		"another end":         func(c *foreign.Client) { later := end.Add(time.Second); c.ExpiresAt = &later },
		"days":                func(c *foreign.Client) { c.LastsDays = 30 },
		"a switch":            func(c *foreign.Client) { c.Disabled = true },
		"a quota":             func(c *foreign.Client) { c.Quota = 0 },
		"a reset":             func(c *foreign.Client) { c.Reset = "daily" },
		"a count of devices":  func(c *foreign.Client) { c.Addresses = 0 },
		"a subscription":      func(c *foreign.Client) { c.Subscription = "another-address" },
		"none of either":      func(c *foreign.Client) { c.Subscription = "" },
		"nothing but a quota": nil,
	} {
		other := full
		other.Label, other.Quota, other.Up, other.Note, other.ExpiresAt = "anna 2", 50, 7, "phone", &elsewhere
		if change != nil {
			change(&other)
		}
		require.Equal(t, change == nil, full.Joins(&other), name)
		require.Equal(t, change == nil, other.Joins(&full), name)
	}
	require.False(t, (&foreign.Client{}).Joins(&foreign.Client{}), "without a subscription nobody is anybody else")
}

// Who loses a subscription to another client is told; who is the same person in several entries is not.
func TestASharedSubscriptionIsTold(t *testing.T) {
	t.Parallel()
	client := func(label string, quota int64) foreign.Client {
		return foreign.Client{Label: label, Subscription: address, Quota: quota}
	}
	c := &foreign.Config{}
	c.Add("one", foreign.Entry{Key: "one", Clients: []foreign.Client{client("anna", 5), client("anna 2", 5)}})
	c.Add("two", foreign.Entry{Key: "two", Clients: []foreign.Client{client("anna", 0), client("anna 3", 7)}})
	c.Add("three", foreign.Entry{Key: "three", Clients: []foreign.Client{client("anna 4", 0), {Label: "boris"}}})
	c.NoteShared()
	require.Equal(t, []foreign.Finding{
		{Code: foreign.SubscriptionBoth, Entry: "one", What: "anna 2"},
		{Code: foreign.SubscriptionBoth, Entry: "three", What: "anna 4"},
	}, c.Findings)
}
