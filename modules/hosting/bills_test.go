package hosting

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/flowsapi"
	"panel/modules/hosting/internal/cloud"
	"panel/platform/fault"
)

func pointer[T any](value T) *T { return &value }

// "A month of 730 hours", and a twelfth of a year to the nearest minor unit.
func TestAPriceIsBroughtToAMonth(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		amount int64
		period string
		want   int64
	}{
		{450, cloud.Month, 450},
		{0, cloud.Month, 0},
		{1, cloud.Hour, 730},
		{7, cloud.Hour, 5110},
		{0, cloud.Hour, 0},
		{1200, cloud.Year, 100},
		{1205, cloud.Year, 100},
		{1206, cloud.Year, 101},
		{5, cloud.Year, 0},
		{6, cloud.Year, 1},
	} {
		got := monthlyOf(&cloud.Price{Amount: one.amount, Currency: "EUR", Period: one.period})
		require.Equal(t, one.want, got, "%d a %s", one.amount, one.period)
	}
}

// However an amount is shared, nothing of it is lost and nobody pays more than one minor unit more than another.
func TestNothingIsLostBySharing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, 1_000_000_000_000).Draw(t, "amount")
		parts := share(amount, rapid.IntRange(1, 200).Draw(t, "among"))
		var sum int64
		for i, part := range parts {
			sum += part
			require.LessOrEqual(t, part, parts[max(i-1, 0)], "the first ones get what is left over")
		}
		require.Equal(t, amount, sum)
		require.LessOrEqual(t, parts[0]-parts[len(parts)-1], int64(1))
	})
}

// A machine whose node runs no flow costs the node and no flow; one without a node is in the total alone.
func TestWhatAMachineCostsIsCountedWhereItServes(t *testing.T) {
	t.Parallel()
	b := &biller{totals: map[string]*CostTotal{}, nodes: sums{}, flows: sums{}, regions: map[RegionCost]*RegionCost{}}
	for _, row := range []costRow{
		{Kind: "vultr", Region: "ams", NodeID: pointer("n1"), PriceAmount: pointer(int64(100)), PriceCurrency: "USD", PricePeriod: cloud.Month},
		{Kind: "vultr", Region: "ams", NodeID: pointer("n2"), PriceAmount: pointer(int64(30)), PriceCurrency: "USD", PricePeriod: cloud.Month},
		{Kind: "linode", Region: "ams", PriceAmount: pointer(int64(5)), PriceCurrency: "USD", PricePeriod: cloud.Month},
		{Kind: "linode", Region: "ams", NodeID: pointer("n1")},
	} {
		b.add(&row, map[string][]string{"n1": {"f1", "f2"}})
	}
	bill := b.bill(map[string]string{"n1": "one", "n2": "two"}, map[string]string{"f1": "f", "f2": "f"})
	require.Equal(t, []CostTotal{{Currency: "USD", Monthly: 135, Servers: 3, Unassigned: 5}}, bill.Totals)
	require.Equal(t, []CostOf{
		{ID: "n1", Name: "one", Currency: "USD", Monthly: 100}, {ID: "n2", Name: "two", Currency: "USD", Monthly: 30},
	}, bill.Nodes)
	require.Equal(t, []CostOf{
		{ID: "f1", Name: "f", Currency: "USD", Monthly: 50}, {ID: "f2", Name: "f", Currency: "USD", Monthly: 50},
	}, bill.Flows, "of two flows with one name the ids decide")
	require.Equal(t, []RegionCost{
		{Kind: "linode", Region: "ams", Currency: "USD", Monthly: 5, Servers: 1},
		{Kind: "vultr", Region: "ams", Currency: "USD", Monthly: 130, Servers: 2},
	}, bill.Regions, "a place of one name at two providers is two places")
	require.EqualValues(t, 1, bill.Unpriced)
}

// The overview looks 31 days ahead in whole days, nearest first, and leaves out what was skipped.
func TestTheOverviewLooksAMonthAhead(t *testing.T) {
	t.Parallel()
	today := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	at := func(day int) *time.Time { return pointer(today.AddDate(0, 0, day).Add(23 * time.Hour)) }
	rows := []costRow{
		{ID: "in a month", NextDueAt: at(31)},
		{ID: "later", NextDueAt: at(32)},
		{ID: "b", NextDueAt: at(2)},
		{ID: "a", NextDueAt: at(2), PriceAmount: pointer(int64(7)), PriceCurrency: "EUR", PricePeriod: cloud.Year},
		{ID: "overdue", NextDueAt: at(-40)},
		{ID: "skipped", NextDueAt: at(1), SkippedDue: at(1)},
		{ID: "skipped before", NextDueAt: at(1), SkippedDue: at(-30)},
		{ID: "nobody has said"},
	}
	ids, days := []string{}, []int{}
	for _, due := range dues(rows, today, time.UTC) {
		ids, days = append(ids, due.ServerID), append(days, due.Days)
	}
	require.Equal(t, []string{"overdue", "skipped before", "a", "b", "in a month"}, ids)
	require.Equal(t, []int{-40, 1, 2, 2, 31}, days)
	due := dues(rows[3:4], today, time.UTC)[0]
	require.Equal(t, &cloud.Price{Amount: 7, Currency: "EUR", Period: cloud.Year}, due.Price, "as it is paid")
	require.NotNil(t, dues(nil, today, time.UTC))
}

// Of each day before a payment it is known which reminder counts, and of each after it that it is overdue.
func TestTheNearestReminderCounts(t *testing.T) {
	t.Parallel()
	want := map[int]int{0: 0, 1: 1, 2: 3, 3: 3, 4: 7, 5: 7, 6: 7, 7: 7, -1: overdue, -400: overdue}
	for days, stage := range want {
		got, reached := stageOf(days)
		require.True(t, reached, days)
		require.Equal(t, stage, got, days)
	}
	for _, days := range []int{8, 9, 31, 1000} {
		_, reached := stageOf(days)
		require.False(t, reached, days)
	}
}

// A day is counted in the calendar of the place, whatever the clock says there.
func TestDaysAreThoseOfTheCalendar(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		zone, now, due string
		want           int
	}{
		{"UTC", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", 1},
		{"UTC", "2027-01-01T00:00:00Z", "2027-01-01T23:59:59Z", 0},
		{"UTC", "2028-02-28T12:00:00Z", "2028-03-01T00:00:00Z", 2},
		{"UTC", "2027-02-28T12:00:00Z", "2027-03-01T00:00:00Z", 1},
		{"UTC", "2027-01-02T00:00:00Z", "2027-01-01T23:59:59Z", -1},
		{"Pacific/Kiritimati", "2026-12-31T10:00:00Z", "2026-12-31T09:59:59Z", -1},
		{"Pacific/Pago_Pago", "2027-01-01T10:59:59Z", "2027-01-01T11:00:00Z", 1},
		{"America/New_York", "2026-10-31T12:00:00Z", "2026-11-02T12:00:00Z", 2}, // the clock is put back on the 1st
		{"Asia/Kathmandu", "2026-12-31T18:14:59Z", "2026-12-31T18:15:00Z", 1},
	} {
		place, err := time.LoadLocation(one.zone)
		require.NoError(t, err)
		now, err := time.Parse(time.RFC3339, one.now)
		require.NoError(t, err)
		due, err := time.Parse(time.RFC3339, one.due)
		require.NoError(t, err)
		require.Equal(t, one.want, daysTo(due, dayOf(now, place), place), one)
	}
}

// Months of 28 to 31 days: a period later is the same day where the month has it, else its last, at the same hour.
func TestADueDayStaysWithinItsMonth(t *testing.T) {
	t.Parallel()
	year := &cloud.Price{Period: cloud.Year}
	for _, one := range []struct {
		due, want string
		price     *cloud.Price
	}{
		{"2027-01-28T08:30:00Z", "2027-02-28T08:30:00Z", nil},
		{"2027-01-29T08:30:00Z", "2027-02-28T08:30:00Z", nil},
		{"2028-01-29T08:30:00Z", "2028-02-29T08:30:00Z", nil},
		{"2027-03-31T00:00:00Z", "2027-04-30T00:00:00Z", nil},
		{"2027-04-30T00:00:00Z", "2027-05-30T00:00:00Z", nil},
		{"2027-12-31T23:59:59Z", "2028-01-31T23:59:59Z", nil},
		{"2027-07-31T00:00:00Z", "2027-08-31T00:00:00Z", &cloud.Price{Period: cloud.Hour}},
		{"2027-02-28T00:00:00Z", "2028-02-28T00:00:00Z", year},
		{"2028-02-29T00:00:00Z", "2029-02-28T00:00:00Z", year},
		{"2027-01-31T23:00:00-05:00", "2027-03-01T04:00:00Z", nil}, // 1 February in UTC
	} {
		due, err := time.Parse(time.RFC3339, one.due)
		require.NoError(t, err)
		require.Equal(t, one.want, nextDue(due, one.price).Format(time.RFC3339), one.due)
	}
	rapid.Check(t, func(t *rapid.T) {
		due := time.Date(2024, 1, 1+rapid.IntRange(0, 4000).Draw(t, "day"), 0, 0, 0, 0, time.UTC)
		next := nextDue(due, nil)
		require.Equal(t, time.Month(int(due.Month())%12+1), next.Month(), "a month is left out or comes twice: %s", due)
		require.LessOrEqual(t, next.Day(), due.Day())
	})
}

// The table of the command line keeps currencies in lines of their own, and says a payment without a price.
func TestTheOverviewAsATable(t *testing.T) {
	t.Parallel()
	bill := Billing{
		Totals:  []CostTotal{{Currency: "EUR", Monthly: 5}, {Currency: "USD", Monthly: 7}},
		Nodes:   []CostOf{{Name: "ams-1", Currency: "EUR", Monthly: 5}},
		Flows:   []CostOf{{Name: "Europe", Currency: "EUR", Monthly: 3}},
		Regions: []RegionCost{{Kind: "vultr", Region: "ams", Currency: "USD", Monthly: 7}},
		Due: []Due{
			{Account: "main", Name: "ams-1", DueAt: dueDay, Price: &cloud.Price{Amount: 24, Currency: "EUR", Period: cloud.Year}},
			{Account: "main", Name: "ams-2", DueAt: dueDay},
		},
	}
	require.Equal(t, []billLine{
		{What: "all", Currency: "EUR", Monthly: 5},
		{What: "all", Currency: "USD", Monthly: 7},
		{What: "node", Name: "ams-1", Currency: "EUR", Monthly: 5},
		{What: "flow", Name: "Europe", Currency: "EUR", Monthly: 3},
		{What: "region", Name: "vultr ams", Currency: "USD", Monthly: 7},
		{What: "due", Name: "main ams-1", Currency: "EUR", Monthly: 2, Due: "2026-12-10T00:00:00Z"},
		{What: "due", Name: "main ams-2", Due: "2026-12-10T00:00:00Z"},
	}, bill.lines())
	require.NotNil(t, (&Billing{}).lines())
}

// What people write as a price and as a day is read, or refused, never guessed.
func TestPricesAndDaysAreReadFromFlags(t *testing.T) {
	t.Parallel()
	price, due, err := (&payment{price: "450EUR/month", due: "2028-02-29"}).read()
	require.NoError(t, err)
	require.Equal(t, &cloud.Price{Amount: 450, Currency: "EUR", Period: "month"}, price)
	require.Equal(t, time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC), *due)
	price, due, err = (&payment{}).read()
	require.NoError(t, err)
	require.Nil(t, price)
	require.Nil(t, due)
	for _, text := range []string{
		"450", "450/month", "450eur/month", "4,50EUR/month", "0x10EUR/month", "+5EUR/month", "05EUR/month", " 5EUR/month",
		"5 EUR/month", "5EU/month", "5EUROS/month", "EUR5/month", "99999999999999999999EUR/month",
	} {
		_, _, err := (&payment{price: text}).read()
		require.Error(t, err, text)
	}
	for _, text := range []string{"2027-02-29", "31.12.2026", "2026-13-01", "2026-12-31T00:00:00Z", "12/31/2026"} {
		_, _, err := (&payment{due: text}).read()
		require.Error(t, err, text)
	}
}

// Cells of a table are never empty, which would shift the columns of a script.
func TestCellsAreNeverEmpty(t *testing.T) {
	t.Parallel()
	require.Equal(t, "m unknown - - - - - - id", strings.Join(serverCells(Server{Name: "m", Status: "unknown", ID: "id"}), " "))
	full := Server{
		Name: "m", Status: "off", Region: "ams", Plan: "s", IPv4: []string{"192.0.2.1"}, IPv6: []string{"2001:db8::1"},
		Price: &cloud.Price{Amount: 451, Currency: "EUR", Period: "month"}, NextDueAt: &dueDay, NodeID: pointer("n"), ID: "id",
	}
	require.Equal(t, "m|off|ams|s|192.0.2.1, 2001:db8::1|4.51 EUR/month|2026-12-10T00:00:00Z|n|id",
		strings.Join(serverCells(full), "|"))
	account := Account{
		Label: "a", Kind: "vultr", State: stateLimited, Cause: "right_missing", MissingRights: []string{"x", "y"},
		Balance: &cloud.Money{Amount: -5, Currency: "USD"}, Limits: Limits{ServersUsed: 3}, ID: "id",
	}
	require.Equal(t, "a|vultr|limited|right_missing (x, y)|-0.05 USD|3|-|id", strings.Join(accountCells(account), "|"))
	replaced := Replacement{
		Name: "old", ByName: "new", State: replaceMoving, CreatedAt: dueDay, ID: "id",
		Flows: []ReplacedFlow{{State: flowMoved}, {State: flowApplying}, {State: flowFailed}},
	}
	require.Equal(t, "2026-12-10T00:00:00Z|old|new|moving|1/3|-|id", strings.Join(replacementCells(replaced), "|"))
	require.Equal(t, []string{"-", "a, b"}, []string{listed(nil), listed([]HitPool{{Name: "a"}, {Name: "b"}})})
	require.Equal(t, []string{"?", "0"}, []string{figure(nil), figure(pointer(int64(0)))})
}

// A flow with changes that are not installed hinders a replacement, but not where it only uses a pool of the node: what
// pools change is installed without the draft.
func TestAnOpenDraftHindersAReplacement(t *testing.T) {
	t.Parallel()
	flows := hit([]flowsapi.NodeUse{
		{FlowID: "drawn", Drawn: true, Open: true, Installed: true},
		{FlowID: "placed", Placed: true, Open: true},
		{FlowID: "pool", Open: true, Installed: true},
		{FlowID: "fine", Drawn: true},
	})
	obstacles := map[string]string{}
	for _, one := range flows {
		obstacles[one.FlowID] = one.Obstacle
		require.Equal(t, one.FlowID == "pool", one.ByPool, one.FlowID)
	}
	const open = flowsapi.CodeOpenDraft
	require.Equal(t, map[string]string{"drawn": open, "placed": open, "pool": "", "fine": ""}, obstacles)
	refused, _ := fault.As(unhindered(flows))
	require.Equal(t, open, refused.Code)
	require.Equal(t, []string{"drawn", "placed"}, refused.Extra["flow_ids"])
	require.NoError(t, unhindered(flows[2:]))
	require.NotNil(t, hit(nil))
}
