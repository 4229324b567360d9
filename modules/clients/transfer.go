package clients

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/clients/clientsapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/names"
)

// mostImport is the largest body of an import in bytes.
const mostImport = 8 << 20

// importing is the lock of imports.
const importing = 731204524

// batch is what an import stores.
type batch struct {
	clients  []clientRow
	accesses []accessRow
	flowIDs  []string // that are given to somebody, sorted
}

// load adds the clients of a list in one transaction: all of them, or none. A label that is there already is left out,
// so that a list may be sent again after its answer was lost. Fault: invalid_value (422).
func (c *clients) load(ctx context.Context, in *Import) (Imported, error) {
	out := Imported{Skipped: []string{}}
	err := c.store.db.InTx(ctx, func(ctx context.Context) error {
		flows, err := c.flowsNamed(ctx, in.Clients)
		if err != nil {
			return err
		}
		there, err := c.labelsOf(ctx, in.Clients)
		if err != nil {
			return err
		}
		b, err := c.prepare(ctx, in.Clients, flows, there, &out)
		if err != nil || in.DryRun {
			return err
		}
		return c.storeBatch(ctx, b)
	})
	return out, database.Fault(err, nil)
}

// flowsNamed gives the ids of flows by what the lines call them.
func (c *clients) flowsNamed(ctx context.Context, lines []Line) (map[string]string, error) {
	var wanted []string
	for _, line := range lines {
		wanted = append(wanted, line.Flows...)
	}
	found, err := c.flows.Find(ctx, distinct(wanted)...)
	if err != nil {
		return nil, fmt.Errorf("look up the flows of an import: %w", err)
	}
	return found, nil
}

// labelsOf gives the keys of those of the labels that clients have already, and lets one import at a time ask for them:
// the same list may be sent again before the first answer came. It locks no client, for whoever does has locked the
// flows before.
func (c *clients) labelsOf(ctx context.Context, lines []Line) (map[string]bool, error) {
	keys := make([]string, len(lines))
	for i, line := range lines {
		keys[i] = names.SearchKey(strings.TrimSpace(line.Label))
	}
	db := c.store.db.In(ctx)
	if _, err := db.NewRaw("select pg_advisory_xact_lock(?)", importing).Exec(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("wait for another import: %w", err), nil)
	}
	var found []string
	err := db.NewRaw("select distinct "+clientName+" from client_profiles as c where c.revoked_at is null and "+clientName+
		" = any(?::text[])", pgdialect.Array(keys)).Scan(ctx, &found)
	there := make(map[string]bool, len(found))
	for _, key := range found {
		there[key] = true
	}
	return there, database.Fault(err, nil)
}

// prepare makes the rows of an import and says what it leaves out.
func (c *clients) prepare(
	ctx context.Context, lines []Line, flows map[string]string, there map[string]bool, out *Imported,
) (*batch, error) {
	b := &batch{}
	for i, line := range lines {
		field := "clients[" + strconv.Itoa(i) + "]"
		label := strings.TrimSpace(line.Label)
		if label == "" {
			return nil, fault.InvalidValue(field+".label", "give the client a name")
		}
		key := names.SearchKey(label)
		if there[key] {
			out.Skipped = append(out.Skipped, label)
			continue
		}
		there[key] = true
		out.Added++
		if err := b.add(c, c.made(ctx, label), line, flows, field); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *batch) add(c *clients, row *clientRow, line Line, flows map[string]string, field string) error {
	row.Note, row.Tags, row.Enabled = line.Note, tagsOf(line.Tags), !line.Disabled
	if err := row.begins(line.ExpiresAt, line.LastsDays, field+"."); err != nil {
		return err
	}
	row.limited(line.Quota, row.CreatedAt)
	row.Limits = line.Limits
	b.clients = append(b.clients, *row)
	given := map[string]bool{}
	for j, named := range line.Flows {
		id, there := flows[named]
		if !there {
			return fault.InvalidValue(field+".flows["+strconv.Itoa(j)+"]", "there is no such flow")
		}
		if given[id] {
			continue
		}
		given[id] = true
		access, err := c.newAccess(row.ID, id)
		if err != nil {
			return err
		}
		b.accesses = append(b.accesses, *access)
		if at, known := slices.BinarySearch(b.flowIDs, id); !known {
			b.flowIDs = slices.Insert(b.flowIDs, at, id)
		}
	}
	return nil
}

// storeBatch stores an import. The journal has one line for it, and each flow one that gets clients.
func (c *clients) storeBatch(ctx context.Context, b *batch) error {
	if len(b.clients) == 0 {
		return nil
	}
	given := map[string]int{}
	for i := range b.accesses {
		given[b.accesses[i].FlowID]++
	}
	for _, id := range b.flowIDs {
		if err := c.flows.changed(ctx, id, clientsapi.FlowClientsImported, strconv.Itoa(given[id])); err != nil {
			return err
		}
	}
	if err := database.Copy(ctx, c.store.db, b.clients); err != nil {
		return database.Fault(fmt.Errorf("store the clients of an import: %w", err), nil)
	}
	if err := database.Copy(ctx, c.store.db, b.accesses); err != nil {
		return database.Fault(fmt.Errorf("store what the clients of an import may use: %w", err), nil)
	}
	if err := c.relist(ctx, b.flowIDs...); err != nil {
		return err
	}
	entry := audit.Entry{
		Action: actionImported, Object: audit.Object{Type: object},
		Changes: map[string]audit.Change{"added": {To: len(b.clients)}},
	}
	if err := c.journal.Record(ctx, c.store.db.In(ctx), entry); err != nil {
		return fmt.Errorf("record an import: %w", err)
	}
	return c.bus.Emit(ctx, events.Event{
		Kind: actionImported, At: c.now(), Data: clientsapi.News{Label: strconv.Itoa(len(b.clients))},
	})
}

// actionImported is one line of the journal for all clients of an import.
const actionImported = "client.imported"

// each visits the clients that were chosen, oldest first, in pages, so that the memory it takes does not grow.
func (c *clients) each(ctx context.Context, f ClientFilter, visit func(Client) error) error {
	const most = 500
	after, last := time.Time{}, zeroID
	for {
		var rows []clientRow
		q := f.filter(c.store.db.In(ctx).NewSelect().Model(&rows), c.now(), nil).
			Where("(c.created_at, c.id) > (?, ?::uuid)", after, last)
		if err := q.Order("c.created_at", "c.id").Limit(most).Scan(ctx); err != nil {
			return database.Fault(err, nil)
		}
		shown, err := c.shown(ctx, rows)
		if err != nil {
			return err
		}
		for i := range shown {
			if err := visit(shown[i]); err != nil {
				return err
			}
		}
		if len(rows) < most {
			return nil
		}
		after, last = rows[len(rows)-1].CreatedAt, rows[len(rows)-1].ID
	}
}

// export writes the chosen clients in a form that an import reads. No secret, token or link is in it.
func (c *clients) export(in *exportInput) *httpapi.File {
	if in.Format == "csv" {
		return &httpapi.File{Name: "clients.csv", Type: "text/csv; charset=utf-8", Write: func(ctx context.Context,
			w io.Writer,
		) error {
			return c.writeCSV(ctx, w, in.ClientFilter)
		}}
	}
	return &httpapi.File{Name: "clients.json", Type: "application/json", Write: func(ctx context.Context,
		w io.Writer,
	) error {
		return c.writeJSON(ctx, w, in.ClientFilter)
	}}
}

func (c *clients) writeJSON(ctx context.Context, w io.Writer, f ClientFilter) error {
	before := `{"clients":[`
	err := c.each(ctx, f, func(one Client) error {
		if one.State == clientsapi.Revoked {
			return nil
		}
		text, err := json.Marshal(lineOf(one))
		if err != nil {
			return fmt.Errorf("encode a client: %w", err)
		}
		_, err = io.WriteString(w, before+"\n"+string(text))
		before = ","
		return err
	})
	if err != nil {
		return err
	}
	if before != "," {
		_, err = io.WriteString(w, before)
	}
	_, ended := io.WriteString(w, "\n]}\n")
	return cmp.Or(err, ended)
}

func lineOf(c Client) Line {
	line := Line{
		Label: c.Label, Note: c.Note, Tags: c.Tags, ExpiresAt: c.ExpiresAt, Disabled: !c.Enabled, Quota: c.Quota,
		Limits: c.Limits,
	}
	if c.LastsDays != nil {
		line.LastsDays = *c.LastsDays
	}
	for _, use := range c.Flows {
		line.Flows = append(line.Flows, use.FlowID)
	}
	return line
}

var columns = []string{
	"id", "label", "note", "tags", "state", "expires_at", "lasts_days", "quota_bytes", "speed_mbps", "addresses", "used_bytes",
	"total_up", "total_down", "last_seen_at", "flows", "created_at",
}

func (c *clients) writeCSV(ctx context.Context, w io.Writer, f ClientFilter) error {
	table := csv.NewWriter(w)
	if err := table.Write(columns); err != nil {
		return err
	}
	err := c.each(ctx, f, func(one Client) error { return table.Write(cells(one)) })
	table.Flush()
	return cmp.Or(err, table.Error())
}

func cells(c Client) []string {
	quota, days, flows := "", "", make([]string, len(c.Flows))
	if c.Quota != nil {
		quota = strconv.FormatInt(c.Quota.Bytes, 10)
	}
	if c.LastsDays != nil {
		days = strconv.Itoa(*c.LastsDays)
	}
	for i, use := range c.Flows {
		flows[i] = use.FlowName
	}
	line := []string{
		c.ID, c.Label, c.Note, strings.Join(c.Tags, " "), c.State, moment(c.ExpiresAt), days, quota,
		number(c.Limits.SpeedMbps), number(c.Limits.Addresses),
		strconv.FormatInt(c.Used.Up+c.Used.Down, 10), strconv.FormatInt(c.Total.Up, 10),
		strconv.FormatInt(c.Total.Down, 10), moment(c.LastSeenAt), strings.Join(flows, ", "),
		moment(&c.CreatedAt),
	}
	for i, cell := range line {
		line[i] = harmless(cell)
	}
	return line
}

func moment(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.Format(time.RFC3339)
}

// number leaves a cell empty where there is no limit.
func number(limit int) string {
	if limit == 0 {
		return ""
	}
	return strconv.Itoa(limit)
}

// harmless keeps a spreadsheet from running a cell as a formula.
func harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

// Import adds clients that bring their secrets, all of them or none.
func (e exported) Import(ctx context.Context, brought []clientsapi.Brought) error {
	b := &batch{}
	for i := range brought {
		if err := b.bring(ctx, e.clients, &brought[i]); err != nil {
			return err
		}
	}
	err := e.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := e.keepSubscriptions(ctx, b); err != nil {
			return err
		}
		return e.storeBatch(ctx, b)
	})
	return database.Fault(err, nil)
}

// keepSubscriptions takes those off the batch that a client here has already, as after an import of the same server
// before. One import at a time asks for them.
func (c *clients) keepSubscriptions(ctx context.Context, b *batch) error {
	db, taken := c.store.db.In(ctx), map[string]bool{}
	if _, err := db.NewRaw("select pg_advisory_xact_lock(?)", importing).Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("wait for another import: %w", err), nil)
	}
	var hashes, found [][]byte
	for i := range b.clients {
		if hash := b.clients[i].PublicHash; hash != nil {
			hashes = append(hashes, hash)
		}
	}
	err := db.NewRaw("select public_hash from client_profiles where public_hash = any(?::bytea[])",
		pgdialect.Array(hashes)).Scan(ctx, &found)
	if err != nil {
		return database.Fault(fmt.Errorf("look up the subscriptions of an import: %w", err), nil)
	}
	for _, hash := range found {
		taken[string(hash)] = true
	}
	for i := range b.clients {
		row := &b.clients[i]
		if row.PublicHash == nil {
			continue
		}
		if taken[string(row.PublicHash)] {
			row.PublicHash, row.PublicIssuedAt = nil, nil
			continue
		}
		taken[string(row.PublicHash)] = true
	}
	return nil
}

func (b *batch) bring(ctx context.Context, c *clients, in *clientsapi.Brought) error {
	label := strings.TrimSpace(in.Label)
	if label == "" {
		return fault.InvalidValue("label", "give the client a name")
	}
	row := c.made(ctx, label)
	row.Note, row.Tags, row.Enabled = in.Note, tagsOf(in.Tags), !in.Disabled
	row.lasts(in.ExpiresAt, in.LastsDays)
	if in.Quota > 0 {
		row.limited(&Quota{Bytes: in.Quota, Reset: in.Reset}, row.CreatedAt)
	}
	row.Limits.Addresses = in.Addresses
	row.UsedUp, row.UsedDown, row.TotalUp, row.TotalDown = in.Up, in.Down, in.Up, in.Down
	if in.Token != "" {
		row.PublicHash, row.PublicIssuedAt = hashToken(in.Token), &row.CreatedAt
	}
	b.clients = append(b.clients, *row)
	for _, use := range in.Uses {
		access := &accessRow{ClientID: row.ID, FlowID: use.FlowID, Generation: 1, CreatedAt: row.CreatedAt}
		if err := access.seal(c.store.vault, broughtSecret(use)); err != nil {
			return fmt.Errorf("keep the secret of a client: %w", err)
		}
		b.accesses = append(b.accesses, *access)
		if at, known := slices.BinarySearch(b.flowIDs, use.FlowID); !known {
			b.flowIDs = slices.Insert(b.flowIDs, at, use.FlowID)
		}
	}
	return nil
}

// broughtSecret makes up what a client has not brought, so that it can use entries of other protocols too.
func broughtSecret(use clientsapi.BroughtUse) secret {
	made := newSecret()
	if use.UUID != "" {
		made.UUID = use.UUID
	}
	copy(made.Key, use.Key)
	made.Password = use.Password
	return made
}
