package policies

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/policies/internal/rules"
	"panel/platform/paneltest"
)

func (w *world) command(line string) paneltest.Said {
	w.t.Helper()
	return w.admin.Command(features(), line)
}

func (w *world) file(content string) string {
	w.t.Helper()
	name := filepath.Join(w.t.TempDir(), "said.json")
	require.NoError(w.t, os.WriteFile(name, []byte(content), 0o600))
	return name
}

// A policy is made from flags or a file, changed, obeyed, let go and removed by commands.
func TestCommandsMakeChangeAndRemovePolicies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.command("policies create Strict --kind security --rule securities=tls,reality --rule private_addresses" +
		" --protocols vless,trojan --plain")
	require.Zero(t, made.Exit, made.Err)
	require.Equal(t, "securities\t-\ttls, reality\t-\nprivate_addresses\t-\t-\t-\n", made.Out)
	require.NotZero(t, w.command("policies create Strict --kind security").Exit, "the name is taken")
	file := w.file(`{"kind":"limits","rules":[{"type":"max_nodes","name":"Small","number":3}],"allowed_protocols":["vless"]}`)
	require.Contains(t, w.command("policies create Few --plain --file "+file).Out, "max_nodes\tSmall\t-\t3")
	require.Contains(t, w.command("policies change few --rule max_nodes=2 --rule max_entries=1 --plain").Out,
		"max_nodes\t-\t-\t2\nmax_entries\t-\t-\t1")
	require.Zero(t, w.command("policies change Few --name Fewer --protocols= --rule=").Exit)
	page := must[struct{ Items []Policy }](w, policiesPath+"?q=fewer")
	require.Empty(t, page.Items[0].AllowedProtocols)
	require.Empty(t, page.Items[0].Rules, "an empty rule takes all of them away")

	require.Zero(t, w.command("policies assign Strict Europe").Exit)
	second := w.newFlow("Second", 8443)
	require.Zero(t, w.command("policies assign Strict "+second).Exit)
	users := func() (names []string) {
		for _, p := range must[struct{ Items []Policy }](w, policiesPath+"?q=strict").Items[0].UsedBy {
			names = append(names, p.FlowName)
		}
		return names
	}
	require.Equal(t, []string{"Europe", "Second"}, users(), "besides those that do already")
	require.Equal(t, 5, w.command("policies delete Strict --yes").Exit, "flows obey it")
	require.Zero(t, w.command("policies release strict europe second").Exit)
	require.Empty(t, users())
	require.Equal(t, 2, w.command("policies delete Strict").Exit, "nobody can confirm")
	require.Zero(t, w.command("policies delete Strict --yes").Exit)
	require.EqualValues(t, 1, w.admin.Get(policiesPath).Is(200).Value("total"))
}

func TestCommandsRefuseWhatTheyCannotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.policy("Strict", rules.Limits)
	for line, exit := range map[string]int{
		"policies create P --file no-such-file.json":                           2,
		"policies create P --file " + w.file(`{"kind":"limits","rulez":[]}`):   2,
		"policies create P --file " + w.file(`{"kind":"limits"} {}`):           2,
		"policies create P --kind nonsense":                                    1,
		"policies create P --kind limits --rule securities=tls":                1,
		"policies change Strict":                                               2,
		"policies change nobody --name X":                                      1,
		"policies change Strict --file " + w.file(`{"kind":"security"}`):       2,
		"policies assign Strict nothing":                                       1,
		"policies release Strict":                                              2,
		"policies save-catalogue " + w.file(`{"sets":[{"name":"ads","x":1}]}`): 2,
		"policies put-set ads --domain not_a_domain!":                          1,
		"policies remove-set ads":                                              1,
		"policies create-plan Upstream":                                        2,
		"policies create-plan Upstream --way socks --address proxy.example":    1,
		"policies edit-plan nothing --way direct --family ipv4":                1,
		"policies delete-plan nothing --yes":                                   1,
	} {
		require.Equal(t, exit, w.command(line).Exit, line)
	}
	require.Zero(t, must[Catalogue](w, cataloguePath).Version)
}

// Entries of the catalogue come and go by commands; each makes a version and leaves the rest as it is.
func TestCommandsChangeTheCatalogue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(`{"sets":[{"name":"ads","domain":["ads.example"]}],"presets":[{"name":"tls","protocol":"trojan"}]}`)
	require.Zero(t, w.command("policies save-catalogue "+file+" --note first").Exit)
	said := w.command("policies put-set banks --geosite category-bank --ip 192.0.2.0/24 --description Banks --plain")
	require.Equal(t, "ads\t0\t1\t0\t-\nbanks\t1\t0\t1\tBanks\n", said.Out, said.Err)
	require.Contains(t, w.command("policies put-set ads --domain one.example,two.example --plain").Out, "ads\t0\t2\t0")
	require.Equal(t, "banks\t1\t0\t1\tBanks\n", w.command("policies remove-set ads --note gone --plain").Out)
	now := must[Catalogue](w, cataloguePath)
	require.Equal(t, 4, now.Version)
	require.Equal(t, "gone", now.Note)
	require.Len(t, now.Presets, 1, "what the command does not name stays")
	require.Equal(t, "first", must[Catalogue](w, cataloguePath+"/versions/1").Note)
}

// Custom plans are made and edited by commands; their password comes from a file or is asked for, never from a flag.
func TestCommandsMakeCustomPlans(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(`{"way":"socks","address":"192.0.2.7","port":1080,"user":"panel","password":"planted-password"}`)
	made := w.command("policies create-plan Upstream --port 1081 --plain --file " + file)
	require.Equal(t, "1\tsocks\t192.0.2.7:1081\tnone\n", made.Out, made.Err)
	said := w.command("policies edit-plan upstream --way direct --family ipv6 --split tlshello --plain")
	require.Equal(t, "2\tdirect\t-\tnone\n1\tsocks\t192.0.2.7:1081\tnone\n", said.Out, said.Err)
	plans := must[struct{ Items []CustomPlan }](w, plansPath).Items
	require.True(t, plans[0].Versions[1].HasPassword)
	require.Equal(t, "100-200", plans[0].Versions[0].Body.Fragment.Length)
	require.NotContains(t, made.Out+made.Err+said.Out, "planted-password")
	w.draws(w.flow, plans[0].Versions[0].ID)
	require.Equal(t, 5, w.command("policies delete-plan Upstream --yes").Exit, "a draft uses it")
	w.admin.Put(units+w.flow+"/draft", fields{"revision": 2, "graph": w.drawing(443)}).Is(200)
	require.Zero(t, w.command("policies delete-plan Upstream --yes").Exit)
	require.EqualValues(t, 0, w.admin.Get(plansPath).Is(200).Value("total"))
}
