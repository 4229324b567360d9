package hosting

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/hosting/internal/cloud"
	"panel/platform/database"
)

// Billing is what the fleet costs a month. An amount is of one currency; currencies are never added up.
type Billing struct {
	Totals   []CostTotal  `json:"totals" doc:"By currency"`
	Nodes    []CostOf     `json:"nodes" doc:"What the machines of each node cost"`
	Flows    []CostOf     `json:"flows" doc:"What a machine costs is shared evenly by the flows that are installed on its node"`
	Regions  []RegionCost `json:"regions"`
	Balances []BalanceOf  `json:"balances" doc:"What is left to spend at each account that says it"`
	Due      []Due        `json:"due" doc:"Payments that are overdue or due within 31 days, nearest first; not those that were skipped"`
	Unpriced int64        `json:"unpriced" doc:"Machines whose price nobody has said"`
}

// CostTotal is what all machines cost a month in one currency.
type CostTotal struct {
	Currency   string `json:"currency"`
	Monthly    int64  `json:"monthly" doc:"In minor units"`
	Servers    int64  `json:"servers"`
	Unassigned int64  `json:"unassigned" doc:"The part of it that belongs to no node, in minor units"`
}

// CostOf is what a node or a flow costs a month in one currency.
type CostOf struct {
	ID       string `json:"id" format:"uuid"`
	Name     string `json:"name"`
	Currency string `json:"currency"`
	Monthly  int64  `json:"monthly" doc:"In minor units"`
}

// RegionCost is what the machines of one region cost a month in one currency.
type RegionCost struct {
	Kind     string `json:"kind"`
	Region   string `json:"region" doc:"As the provider calls it"`
	Currency string `json:"currency"`
	Monthly  int64  `json:"monthly" doc:"In minor units"`
	Servers  int64  `json:"servers"`
}

// BalanceOf is what is left to spend at one account.
type BalanceOf struct {
	AccountID string      `json:"account_id" format:"uuid"`
	Label     string      `json:"label"`
	Balance   cloud.Money `json:"balance"`
}

// Due is a payment that comes.
type Due struct {
	AccountID string       `json:"account_id" format:"uuid"`
	Account   string       `json:"account"`
	ServerID  string       `json:"server_id" format:"uuid"`
	Name      string       `json:"name"`
	DueAt     time.Time    `json:"due_at"`
	Days      int          `json:"days" doc:"From today to the due day, in the zone of the settings; below zero: overdue"`
	Price     *cloud.Price `json:"price" doc:"null: nobody has said"`
}

// dueWithin is how far ahead the overview looks, in days.
const dueWithin = 31

// costRow is a machine as bills see it.
type costRow struct {
	ID            string     `bun:"id"`
	AccountID     string     `bun:"account_id"`
	Account       string     `bun:"account"`
	Kind          string     `bun:"kind"`
	Name          string     `bun:"name"`
	Region        string     `bun:"region"`
	NodeID        *string    `bun:"node_id"`
	PriceAmount   *int64     `bun:"price_amount"`
	PriceCurrency string     `bun:"price_currency"`
	PricePeriod   string     `bun:"price_period"`
	NextDueAt     *time.Time `bun:"next_due_at"`
	SkippedDue    *time.Time `bun:"skipped_due"`
}

func (r *costRow) price() *cloud.Price {
	if r.PriceAmount == nil {
		return nil
	}
	return &cloud.Price{Amount: *r.PriceAmount, Currency: r.PriceCurrency, Period: r.PricePeriod}
}

// costs reads all machines that are not gone.
func (s *store) costs(ctx context.Context) (rows []costRow, err error) {
	err = s.db.In(ctx).NewRaw(`select s.id, s.account_id, a.label as account, a.kind, s.name, s.region, s.node_id,
			s.price_amount, s.price_currency, s.price_period, s.next_due_at, s.skipped_due
		from hosting_servers s join hosting_accounts a on a.id = s.account_id where s.gone_at is null order by s.id`).
		Scan(ctx, &rows)
	return rows, database.Fault(err, nil)
}

// monthlyOf is what a price comes to in a month of 730 hours, rounded half up, in minor units.
func monthlyOf(p *cloud.Price) int64 {
	const hours, months = 730, 12
	switch p.Period {
	case cloud.Hour:
		return p.Amount * hours
	case cloud.Year:
		return (p.Amount + months/2) / months
	}
	return p.Amount
}

// share divides an amount evenly; the first ones get what is left over, so that the parts come to the whole.
func share(amount int64, among int) []int64 {
	parts := make([]int64, among)
	for i := range parts {
		parts[i] = amount / int64(among)
		if int64(i) < amount%int64(among) {
			parts[i]++
		}
	}
	return parts
}

// billing works out what the fleet costs.
func (m *machines) billing(ctx context.Context) (bill Billing, err error) {
	rows, err := m.store.costs(ctx)
	if err != nil {
		return bill, err
	}
	names, err := m.nodeNames(ctx)
	if err != nil {
		return bill, err
	}
	on, flowNames, err := m.flowsOnNodes(ctx)
	if err != nil {
		return bill, err
	}
	today, place, err := m.today(ctx)
	if err != nil {
		return bill, err
	}
	b := &biller{totals: map[string]*CostTotal{}, nodes: sums{}, flows: sums{}, regions: map[RegionCost]*RegionCost{}}
	for i := range rows {
		b.add(&rows[i], on)
	}
	bill = b.bill(names, flowNames)
	bill.Due = dues(rows, today, place)
	bill.Balances, err = m.store.balances(ctx)
	return bill, err
}

// sums are amounts by whose they are and their currency.
type sums map[[2]string]int64

type biller struct {
	totals   map[string]*CostTotal
	nodes    sums
	flows    sums
	regions  map[RegionCost]*RegionCost
	unpriced int64
}

func (b *biller) add(r *costRow, on map[string][]string) {
	price := r.price()
	if price == nil {
		b.unpriced++
		return
	}
	amount, currency := monthlyOf(price), price.Currency
	if b.totals[currency] == nil {
		b.totals[currency] = &CostTotal{Currency: currency}
	}
	total := b.totals[currency]
	total.Monthly += amount
	total.Servers++
	where := RegionCost{Kind: r.Kind, Region: r.Region, Currency: currency}
	if b.regions[where] == nil {
		b.regions[where] = &RegionCost{Kind: r.Kind, Region: r.Region, Currency: currency}
	}
	b.regions[where].Monthly += amount
	b.regions[where].Servers++
	if r.NodeID == nil {
		total.Unassigned += amount
		return
	}
	b.nodes[[2]string{*r.NodeID, currency}] += amount
	flows := on[*r.NodeID]
	if len(flows) == 0 {
		return
	}
	for i, part := range share(amount, len(flows)) {
		b.flows[[2]string{flows[i], currency}] += part
	}
}

func (b *biller) bill(nodes, flows map[string]string) Billing {
	bill := Billing{
		Totals: []CostTotal{}, Nodes: b.nodes.named(nodes), Flows: b.flows.named(flows), Regions: []RegionCost{},
		Unpriced: b.unpriced,
	}
	for _, one := range b.totals {
		bill.Totals = append(bill.Totals, *one)
	}
	for _, one := range b.regions {
		bill.Regions = append(bill.Regions, *one)
	}
	slices.SortFunc(bill.Totals, func(a, b CostTotal) int { return cmp.Compare(a.Currency, b.Currency) })
	slices.SortFunc(bill.Regions, func(a, b RegionCost) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Region, b.Region), cmp.Compare(a.Currency, b.Currency))
	})
	return bill
}

// named lists sums by the names of those whose they are.
func (s sums) named(names map[string]string) []CostOf {
	list := []CostOf{}
	for of, amount := range s {
		list = append(list, CostOf{ID: of[0], Name: names[of[0]], Currency: of[1], Monthly: amount})
	}
	slices.SortFunc(list, func(a, b CostOf) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Currency, b.Currency))
	})
	return list
}

func (m *machines) nodeNames(ctx context.Context) (map[string]string, error) {
	nodes, err := m.fleet.Nodes(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the names of nodes: %w", err)
	}
	names := make(map[string]string, len(nodes))
	for i := range nodes {
		names[nodes[i].ID] = nodes[i].Name
	}
	return names, nil
}

// flowsOnNodes gives the flows that are installed on each node, by their ids, and the names of all flows.
func (m *machines) flowsOnNodes(ctx context.Context) (on map[string][]string, names map[string]string, err error) {
	const together = 200
	on, names = map[string][]string{}, map[string]string{}
	for after := ""; ; {
		var page []flowsapi.Flow
		if page, err = m.flows.Page(ctx, after, together); err != nil || len(page) == 0 {
			return on, names, err
		}
		for i := range page {
			flow := &page[i]
			names[flow.ID], after = flow.Name, flow.ID
			for _, nodeID := range flow.NodeIDs {
				on[nodeID] = append(on[nodeID], flow.ID)
			}
		}
	}
}

// dues are the payments that are overdue or come soon.
func dues(rows []costRow, today time.Time, place *time.Location) []Due {
	list := []Due{}
	for i := range rows {
		r := &rows[i]
		if r.NextDueAt == nil || r.SkippedDue != nil && r.SkippedDue.Equal(*r.NextDueAt) {
			continue
		}
		if days := daysTo(*r.NextDueAt, today, place); days <= dueWithin {
			list = append(list, Due{
				AccountID: r.AccountID, Account: r.Account, ServerID: r.ID, Name: r.Name, DueAt: r.NextDueAt.UTC(),
				Days:  days,
				Price: r.price(),
			})
		}
	}
	slices.SortFunc(list, func(a, b Due) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ServerID,
			b.ServerID))
	})
	return list
}

// balances are those of the accounts that say them.
func (s *store) balances(ctx context.Context) ([]BalanceOf, error) {
	var rows []accountRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("a.balance_amount is not null").OrderExpr("a.label").Scan(ctx)
	list := []BalanceOf{}
	for i := range rows {
		money := cloud.Money{Amount: *rows[i].BalanceAmount, Currency: rows[i].BalanceCurrency}
		list = append(list, BalanceOf{AccountID: rows[i].ID, Label: rows[i].Label, Balance: money})
	}
	return list, database.Fault(err, nil)
}
