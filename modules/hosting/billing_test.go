package hosting

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/paneltest"
)

func priceOf(amount int, currency, period string) fields {
	return fields{"amount": amount, "currency": currency, "period": period}
}

func (b *bench) bill() (bill Billing) {
	b.t.Helper()
	b.Admin().Get(accountsPath + "/billing").Is(http.StatusOK).JSON(&bill)
	return bill
}

// "Cost per node, flow and region per currency (never mix currencies in one sum)."
func TestCurrenciesAreNeverAddedUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	node := b.Admin().AddNode("ams-1", "address", "192.0.2.1")
	account := b.byHand()
	here := []string{"192.0.2.1"}
	b.enter(account.ID, "one", fields{"ips": here, "region": "ams", "price": priceOf(450, "EUR", "month")})
	b.enter(account.ID, "two", fields{"ips": here, "region": "ams", "price": priceOf(1, "EUR", "hour")})
	b.enter(account.ID, "three", fields{"ips": here, "region": "ams", "price": priceOf(1200, "USD", "year")})
	b.enter(account.ID, "four", fields{"region": "fra", "price": priceOf(999, "EUR", "month")})
	b.enter(account.ID, "five", nil)
	bill := b.bill()
	require.Equal(t, []CostTotal{
		{Currency: "EUR", Monthly: 450 + 730 + 999, Servers: 3, Unassigned: 999},
		{Currency: "USD", Monthly: 100, Servers: 1},
	}, bill.Totals)
	require.Equal(t, []CostOf{
		{ID: node, Name: "ams-1", Currency: "EUR", Monthly: 1180}, {
			ID: node, Name: "ams-1", Currency: "USD",
			Monthly: 100,
		},
	}, bill.Nodes)
	require.Equal(t, []RegionCost{
		{Kind: "custom", Region: "ams", Currency: "EUR", Monthly: 1180, Servers: 2},
		{Kind: "custom", Region: "ams", Currency: "USD", Monthly: 100, Servers: 1},
		{Kind: "custom", Region: "fra", Currency: "EUR", Monthly: 999, Servers: 1},
	}, bill.Regions)
	require.EqualValues(t, 1, bill.Unpriced)
}

// What a machine costs is shared by the flows on its node so that the parts come to the whole.
func TestFlowsShareWhatTheirNodeCosts(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int64{34, 33, 33}, share(100, 3))
	require.Equal(t, []int64{0, 0}, share(0, 2))
	on := map[string][]string{"n": {"f1", "f2", "f3"}}
	b := &biller{totals: map[string]*CostTotal{}, nodes: sums{}, flows: sums{}, regions: map[RegionCost]*RegionCost{}}
	node, amount := "n", int64(100)
	b.add(&costRow{NodeID: &node, PriceAmount: &amount, PriceCurrency: "EUR", PricePeriod: cloud.Month}, on)
	bill := b.bill(map[string]string{"n": "node"}, map[string]string{"f1": "c", "f2": "b", "f3": "a"})
	require.Equal(t, []CostOf{
		{ID: "f3", Name: "a", Currency: "EUR", Monthly: 33},
		{ID: "f2", Name: "b", Currency: "EUR", Monthly: 33},
		{ID: "f1", Name: "c", Currency: "EUR", Monthly: 34},
	}, bill.Flows)
}

func TestTheOverviewNamesBalances(t *testing.T) {
	t.Parallel()
	b := newBench(t, "vultr")
	b.cloud.Owes(-40)
	b.add()
	require.Equal(t, cloud.Money{Amount: 3750, Currency: "USD"}, b.bill().Balances[0].Balance)
}

// days are reminders of one day after the other.
type days struct{ *bench }

var dueDay = time.Date(2026, 12, 10, 0, 0, 0, 0, time.UTC)

func newDays(t *testing.T) (*days, Account, Server) {
	t.Helper()
	b := newBench(t, "hetzner")
	account := b.byHand()
	server := b.enter(account.ID, "ams-1", fields{"next_due_at": dueDay, "price": priceOf(450, "EUR", "month")})
	return &days{b}, account, server
}

// told runs the reminders as of a moment in UTC, and gives the kinds of what they told.
func (d *days) told(at time.Time) []string {
	d.t.Helper()
	place := time.UTC
	store := newStore(d.DB)
	m := &machines{accounts: &accounts{store: store, bus: d.Bus(), clock: clockwork.NewFakeClockAt(at)}}
	today := dayOf(at, place)
	ids, err := store.dueBefore(d.t.Context(), today.AddDate(0, 0, 9))
	require.NoError(d.t, err)
	kinds := []string{}
	for _, id := range ids {
		was := d.toldDay(id)
		require.NoError(d.t, d.DB.InTx(d.t.Context(), func(ctx context.Context) error {
			return m.remindOf(ctx, id, today, place)
		}))
		stage := d.toldStage(id)
		if now := d.toldDay(id); now != was {
			kind := paymentDue
			if stage == overdue {
				kind = paymentOverdue
			}
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func (d *days) toldStage(id string) (stage int) {
	d.t.Helper()
	const query = "select coalesce(max(told_stage), 0) from hosting_reminders where server_id = ?"
	require.NoError(d.t, d.DB.NewRaw(query, id).Scan(d.t.Context(), &stage))
	return stage
}

func (d *days) toldDay(id string) (day string) {
	d.t.Helper()
	require.NoError(d.t,
		d.DB.NewRaw("select coalesce(max(told_day)::text, '') from hosting_reminders where server_id = ?", id).
			Scan(d.t.Context(), &day))
	return day
}

// "Reminders 7, 3, 1, 0 days and overdue, once a day per item."
func TestRemindersComeAt7And3And1And0DaysAndThenDaily(t *testing.T) {
	t.Parallel()
	d, _, _ := newDays(t)
	news := d.Follow()
	want := map[int]string{
		-7: paymentDue, -3: paymentDue, -1: paymentDue, 0: paymentDue, 1: paymentOverdue,
		2: paymentOverdue,
	}
	for day := -9; day <= 2; day++ {
		noon := dueDay.AddDate(0, 0, day).Add(12 * time.Hour)
		told := d.told(noon)
		require.Empty(t, d.told(noon.Add(time.Hour)), "told twice on one day: %d", day)
		if kind := want[day]; kind == "" {
			require.Empty(t, told, "day %d", day)
		} else {
			require.Equal(t, []string{kind}, told, "day %d", day)
			payment := paneltest.NextData[Payment](news, kind)
			require.Equal(t, -day, payment.Days)
			require.Equal(t, "ams-1", payment.Name)
			require.Equal(t, "other", payment.Account)
			require.Equal(t, &cloud.Price{Amount: 450, Currency: "EUR", Period: "month"}, payment.Price)
		}
	}
}

// A panel that was down tells the nearest of what it has missed, once.
func TestAMissedReminderIsToldOnce(t *testing.T) {
	t.Parallel()
	d, _, _ := newDays(t)
	at := func(day int) time.Time { return dueDay.AddDate(0, 0, day).Add(12 * time.Hour) }
	require.Equal(t, []string{paymentDue}, d.told(at(-5)), "the one of 7 days")
	require.Empty(t, d.told(at(-4)))
	require.Equal(t, []string{paymentDue}, d.told(at(0)), "those of 3, 1 and 0 days are one")
	require.Equal(t, []string{paymentOverdue}, d.told(at(30)))
}

// Days begin in the zone of the settings, with its summer time.
func TestDaysBeginInTheZoneOfTheSettings(t *testing.T) {
	t.Parallel()
	moscow, err := time.LoadLocation("Europe/Moscow")
	require.NoError(t, err)
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	late := time.Date(2026, 12, 9, 22, 0, 0, 0, time.UTC) // 10 December, 1 in the morning, in Moscow
	require.Equal(t, 1, daysTo(dueDay, dayOf(late, time.UTC), time.UTC))
	require.Equal(t, 0, daysTo(dueDay, dayOf(late, moscow), moscow))
	before := time.Date(2027, 3, 27, 12, 0, 0, 0, berlin) // the clock is put forward on the 28th
	require.Equal(t, 2, daysTo(time.Date(2027, 3, 29, 0, 0, 0, 0, berlin), dayOf(before, berlin), berlin))

	require.False(t, Settings{Hour: 10}.awake(late, moscow), "1 in the morning there")
	require.True(t, Settings{Hour: 10}.awake(late, time.UTC))
	require.True(t, Settings{Hour: 1}.awake(late, moscow))

	b := newBench(t, "hetzner")
	path := accountsPath + "/settings"
	b.Admin().Put(path, fields{"revision": 0, "settings": fields{"zone": "Mars/Base", "hour": 9}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	b.Admin().Put(path, fields{"revision": 0, "settings": fields{"zone": "UTC", "hour": 24}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	b.Admin().Put(path, fields{"revision": 0, "settings": fields{"zone": "Europe/Moscow", "hour": 0}}).Is(http.StatusOK)
	require.Equal(t, "Europe/Moscow", b.Admin().Get(path).Is(http.StatusOK).Text("settings.zone"))
}

// The schedule tells what is due, and nothing before the hour of the settings.
func TestTheScheduleTellsWhatIsDue(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.byHand()
	server := b.enter(account.ID, "ams-1", fields{"next_due_at": time.Now().UTC().Add(-72 * time.Hour)})
	b.Admin().Put(accountsPath+"/settings", fields{"revision": 0, "settings": fields{"zone": "UTC", "hour": 0}}).
		Is(http.StatusOK)
	news := b.Follow()
	b.RunSchedule(remindKind)
	require.Equal(t, server.ID, news.Next(paymentOverdue).SubjectID)
}

// "With paid and skip": both end the reminders of one payment, and of two people at once one is refused.
func TestPaidMovesTheDueDayAndSkipEndsItsReminders(t *testing.T) {
	t.Parallel()
	d, account, server := newDays(t)
	path := accountsPath + "/" + account.ID + "/servers/" + server.ID
	var paid Server
	d.Admin().Post(path+"/paid", fields{"due_at": dueDay}).Is(http.StatusOK).JSON(&paid)
	require.Equal(t, dueDay.AddDate(0, 1, 0), *paid.NextDueAt)
	d.Admin().Post(path+"/paid", fields{"due_at": dueDay}).Refused(http.StatusConflict, "due_changed")
	require.Empty(t, d.told(dueDay.Add(12*time.Hour)), "what is paid was told of")

	next := dueDay.AddDate(0, 1, 0)
	d.Admin().Post(path+"/skip", fields{"due_at": next}).Is(http.StatusOK)
	d.Admin().Post(path+"/skip", fields{"due_at": next}).Refused(http.StatusConflict, "due_changed")
	require.Empty(t, d.told(next.Add(12*time.Hour)), "what is skipped was told of")
	require.Empty(t, d.bill().Due)
	again := next.AddDate(0, 0, 5)
	d.Admin().Post(path+"/paid", fields{"due_at": again}).Refused(http.StatusConflict, "due_changed")
	require.Equal(t, []string{entryAdded, costPaid, costSkipped}, d.Recorded(objectServer, server.ID))
	none := d.enter(account.ID, "none", nil)
	d.Admin().Post(accountsPath+"/"+account.ID+"/servers/"+none.ID+"/paid", fields{"due_at": dueDay}).
		Refused(http.StatusConflict, "due_changed")
}

func TestAPeriodLaterIsTheSameDayOrTheLastOfTheMonth(t *testing.T) {
	t.Parallel()
	at := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 8, 0, 0, 0,
			time.UTC)
	}
	require.Equal(t, at(2027, 2, 28), nextDue(at(2027, 1, 31), nil))
	require.Equal(t, at(2028, 2, 29), nextDue(at(2028, 1, 30), nil))
	require.Equal(t, at(2027, 1, 10), nextDue(at(2026, 12, 10), &cloud.Price{Period: cloud.Month}))
	require.Equal(t, at(2027, 12, 10), nextDue(at(2026, 12, 10), &cloud.Price{Period: cloud.Year}))
	require.Equal(t, at(2029, 2, 28), nextDue(at(2028, 2, 29), &cloud.Price{Period: cloud.Year}))
}

// Doctor and a metric tell of payments whose day has passed.
func TestOverduePaymentsAreTold(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.byHand()
	server := b.enter(account.ID, "ams-1", fields{"next_due_at": time.Now().UTC().Add(-72 * time.Hour)})
	found := diagnose(t.Context(), b.doctorOf())
	require.Equal(t, "ams-1", found.Subject)
	require.Regexp(t, "(?m)^panel_hosting_payments_overdue 1$", b.Scrape())
	require.Equal(t, -3, b.bill().Due[0].Days)
	b.Admin().Post(accountsPath+"/"+account.ID+"/servers/"+server.ID+"/skip", fields{"due_at": server.NextDueAt}).
		Is(http.StatusOK)
	require.Empty(t, diagnose(t.Context(), b.doctorOf()).Subject)
}
