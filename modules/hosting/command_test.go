package hosting

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/module"
)

// "`panelctl hosting …` with tables and confirmations": an account lives from the command line alone.
func TestAccountsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	features, admin := []module.Module{Module()}, b.Admin()
	credentials, err := json.Marshal(fields{"api_token": b.cloud.Token})
	require.NoError(t, err)
	kinds := admin.Command(features, "hosting kinds --plain")
	require.Contains(t, kinds.Out, "hetzner\tHetzner\tapi_token\tservers, plans")
	added := admin.Command(features, "hosting add hetzner main "+file(t,
		string(credentials))+" --base-url "+b.cloud.URL)
	require.Equal(t, cli.ExitDone, added.Exit, added.Err)
	require.Contains(t, admin.Command(features, "hosting accounts --plain").Out, "main\thetzner\tok\t-\t-\t0\t-\t")

	b.cloud.Allow("Read")
	tested := admin.Command(features, "hosting test main --plain")
	require.Equal(t, cli.ExitFailed, tested.Exit, tested.Err)
	require.Contains(t, tested.Out, "limited\tright_missing (Read & Write)")
	require.Contains(t, tested.Err, "cannot be used fully: right_missing")
	b.cloud.Allow("*")
	renewed := admin.Command(features, "hosting credentials main "+file(t, string(credentials)))
	require.Equal(t, cli.ExitDone, renewed.Exit, renewed.Err)

	require.Contains(t, admin.Command(features, "hosting regions main --plain").Out, "fsn1\tFalkenstein\tDE")
	require.Contains(t, admin.Command(features, "hosting plans main --region hel1 --plain").Out,
		"cx22\tCX22\t2\t4096\t40\t4.95 EUR/month")
	require.Equal(t, cli.ExitDone, admin.Command(features, "hosting sync main").Exit)

	removed := admin.Command(features, "hosting remove main --yes")
	require.Equal(t, cli.ExitDone, removed.Exit, removed.Err)
	require.Equal(t, cli.ExitFailed, admin.Command(features, "hosting test main").Exit)
}

func TestMachinesFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	features, admin := []module.Module{Module()}, b.Admin()
	require.Equal(t, cli.ExitDone, admin.Command(features, "hosting add custom other").Exit)
	entered := admin.Command(features,
		"hosting enter other ams-1 --ip 192.0.2.10 --price 450EUR/month --due 2026-12-31 --region ams --plain")
	require.Equal(t, cli.ExitDone, entered.Exit, entered.Err)
	require.Contains(t, entered.Out, "ams-1\tunknown\tams\t-\t192.0.2.10\t4.50 EUR/month\t2026-12-31")
	priced := admin.Command(features, "hosting price other ams-1 --price 7USD/year --plain")
	require.Equal(t, cli.ExitDone, priced.Exit, priced.Err)
	require.Contains(t, admin.Command(features, "hosting servers other --plain").Out, "0.07 USD/year\t2026-12-31")
	require.Equal(t, cli.ExitFailed, admin.Command(features, "hosting price other ams-2 --price 7USD/year").Exit)
	require.Equal(t, cli.ExitDone, admin.Command(features, "hosting forget other ams-1 --yes").Exit)
	require.Empty(t, admin.Command(features, "hosting servers other --plain").Out)
}

func TestTheCommandsRefuseWhatCannotBeMeant(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	features := []module.Module{Module()}
	for _, text := range []string{"", "sesame", "{}", `{"api_token": 1}`, "[]"} {
		said := b.Admin().Command(features, "hosting add hetzner main "+file(t, text))
		require.Equal(t, cli.ExitUsage, said.Exit, said.Err)
		require.NotContains(t, said.Err, "sesame")
	}
	b.byHand()
	for _, flags := range []string{
		"--price 4.50EUR/month", "--price 450/month", "--price EUR/month", "--price 450EUR", "--price 450EURO/month",
		"--due tomorrow", "--due 2026-02-30",
	} {
		said := b.Admin().Command(features, "hosting enter other ams-1 "+flags)
		require.Equal(t, cli.ExitUsage, said.Exit, "%s: %s", flags, said.Err)
	}
	b.Admin().Get(accountsPath).Is(http.StatusOK)
}

func TestMoneyIsWrittenAsPeopleDo(t *testing.T) {
	t.Parallel()
	for amount, want := range map[int64]string{0: "0.00 EUR", 5: "0.05 EUR", -1250: "-12.50 EUR", 100: "1.00 EUR"} {
		require.Equal(t, want, money(amount, "EUR"))
	}
}

// "With tables and confirmations": a machine is made at the price that somebody agreed to, switched and deleted.
func TestMachinesAreMadeFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	features, admin := []module.Module{Module()}, b.Admin()
	account := b.add()
	require.Contains(t, admin.Command(features, "hosting images main --plain").Out, "debian-12\tDebian 12")
	const create = "hosting create main ams-1 --region fsn1 --plan cx22 --image debian-12 --plain"
	asked := admin.Command(features, create)
	require.Equal(t, cli.ExitUsage, asked.Exit, "nobody has agreed to the price")
	require.Empty(t, b.cloud.Machines())
	made := admin.Command(features, create+" --yes")
	require.Equal(t, cli.ExitDone, made.Exit, made.Err)
	require.Contains(t, made.Out, "create\tams-1\tqueued\t4.51 EUR/month")
	require.Eventually(t, func() bool {
		return strings.Contains(admin.Command(features, "hosting orders main --plain").Out, "ams-1\tagent")
	}, within, every)
	_, err := b.DB.ExecContext(t.Context(), "update hosting_orders set state = 'failed', finished_at = now()")
	require.NoError(t, err)
	for _, command := range []string{"power main ams-1 off", "delete main ams-1"} {
		require.Equal(t, cli.ExitUsage, admin.Command(features, "hosting "+command).Exit, "nobody has confirmed")
		done := admin.Command(features, "hosting "+command+" --yes")
		require.Equal(t, cli.ExitDone, done.Exit, done.Err)
		require.Eventually(t, func() bool {
			var open int
			err := b.DB.NewRaw("select count(*) from hosting_orders where finished_at is null").Scan(t.Context(), &open)
			return err == nil && open == 0
		}, within, every)
	}
	require.Empty(t, b.servers(account.ID))
}

// "`panelctl hosting …` with tables": what machines cost and which payments come is shown, paid and skipped by name.
func TestPaymentsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	features, admin := []module.Module{Module()}, b.Admin()
	run := func(line string) string {
		t.Helper()
		said := admin.Command(features, "hosting "+line+" --plain")
		require.Equal(t, cli.ExitDone, said.Exit, "%s: %s", line, said.Err)
		return said.Out
	}
	due := time.Now().UTC().AddDate(0, 0, 5).Format(time.DateOnly)
	run("add custom other")
	run("enter other ams-1 --region ams --price 450EUR/month --due " + due)
	run("enter other ams-2 --region ams --price 7USD/year")
	bill := run("billing")
	require.Contains(t, bill, "all\t-\t4.50 EUR\t-\n")
	require.Contains(t, bill, "all\t-\t0.01 USD\t-\n")
	require.Contains(t, bill, "region\tcustom ams\t4.50 EUR\t-\n")
	require.Contains(t, bill, "due\tother ams-1\t4.50 EUR\t"+due)
	next := time.Now().UTC().AddDate(0, 0, 9).Format(time.DateOnly)
	require.Contains(t, run("paid other ams-1 --due "+next), next)
	require.Contains(t, run("billing"), "due\tother ams-1\t4.50 EUR\t"+next)
	require.Contains(t, run("skip other ams-1"), "ams-1")
	require.NotContains(t, run("billing"), "due\tother ams-1", "a payment that is skipped comes no more")
	refused := admin.Command(features, "hosting paid other ams-2")
	require.Equal(t, cli.ExitFailed, refused.Exit)
	require.Contains(t, refused.Err, "ams-2", "nobody has said when it must be paid")
	require.Equal(t, cli.ExitFailed, admin.Command(features, "hosting skip other ams-3").Exit)
}

// A replacement is begun at the price and with the flows that somebody has seen, is listed, and is undone by its id.
func TestAReplacementFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	features, admin := []module.Module{Module()}, s.Admin()
	flow := s.flow("First", 443)
	s.install(flow)
	pool, _ := s.pooled("Europe", 8443, s.oldNode)
	require.NotEmpty(t, pool)
	replace := "hosting replace main " + s.old.Name + " ams-2 --region fsn1 --plan cx22 --image debian-12 --plain"
	asked := admin.Command(features, replace)
	require.Equal(t, cli.ExitUsage, asked.Exit, "nobody has agreed to it")
	require.Len(t, s.cloud.Machines(), 1)
	begun := admin.Command(features, replace+" --delete-old --yes")
	require.Equal(t, cli.ExitDone, begun.Exit, begun.Err)
	require.Contains(t, begun.Out, s.old.Name+"\tams-2\tmaking\t0/0\t-\t")
	require.Equal(t, begun.Out, admin.Command(features, "hosting replacements main --plain").Out)
	id := strings.TrimSpace(begun.Out[strings.LastIndex(begun.Out, "\t")+1:])
	require.Equal(t, oldDelete, s.at(id).Old)
	require.Equal(t, cli.ExitUsage, admin.Command(features, "hosting cancel main "+id).Exit, "nobody has confirmed it")
	require.NotEqual(t, cli.ExitDone, admin.Command(features, "hosting continue main "+id+" --yes").Exit, "it goes on")
	undone := admin.Command(features, "hosting cancel main "+id+" --yes")
	require.Equal(t, cli.ExitDone, undone.Exit, undone.Err)
	s.ends(id, replaceCancelled)
	require.Len(t, s.cloud.Machines(), 1)
}
