package console

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

const flows = `{"items":[
	{"id":"f1","name":"Europe main","state":"applied","enabled":true,"entry":{"host":"192.0.2.7","listener":{"protocol":"vless",
		"port":443}},"client_counts":{"total":12},"installed_version_number":3},
	{"id":"f2","name":"Hops","state":"draft","enabled":false,"entry":{"host":"h.example.com","listener":{"protocol":"hysteria2",
		"port_range":"2000-2010"}},"client_counts":{"total":0},"installed_version_number":null},
	{"id":"f3","name":"Empty","state":"draft","enabled":true,"entry":null,"client_counts":{"total":1}}
]}`

// A line has the entry of the draft, by its port or its range, and the version that is installed.
func TestFlowsAreListed(t *testing.T) {
	t.Parallel()
	exit, out, _ := paneltest.Line(t, Commands, map[string]string{"*": flows}, "flows", "list", "--plain")
	require.Zero(t, exit, out)
	for _, row := range []string{
		"Europe main\tapplied\ttrue\tvless 192.0.2.7:443\t12\t3\tf1",
		"Hops\tdraft\tfalse\thysteria2 h.example.com:2000-2010\t0\t-\tf2", "Empty\tdraft\ttrue\t-\t1\t-\tf3",
	} {
		require.Contains(t, out, row)
	}
}

// The panel filters, so that a fleet of flows is not read for a few of them.
func TestThePanelFiltersFlows(t *testing.T) {
	t.Parallel()
	exit, out, asked := paneltest.Line(t, Commands, map[string]string{"*": flows}, "flows", "list", "--find", "eu main", "--state",
		"applied", "--tag", "vip")
	require.Zero(t, exit, out)
	for _, part := range []string{"/api/v1/connection-units?", "q=eu+main", "state=applied", "tag=vip"} {
		require.Contains(t, strings.Join(asked, " "), part)
	}
}
