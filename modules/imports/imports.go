package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/clients/clientsapi"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/reading"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/names"
)

// imports are the rules: what is read is kept for its reader, and taken once, all of it or nothing.
type imports struct {
	store   *store
	drafts  flowsapi.Drafts
	clients clientsapi.Clients
	nodes   nodesapi.Fleet
	domains domainsapi.Domains
	calls   *outside
	files   *reading.Reader
	journal audit.Journal
	bus     *events.Bus
	clock   clockwork.Clock
}

func newImports(
	s *store, d flowsapi.Drafts, c clientsapi.Clients, n nodesapi.Fleet, b domainsapi.Domains, o *outside,
	j audit.Journal, bus *events.Bus, clock clockwork.Clock,
) *imports {
	return &imports{
		store: s, drafts: d, clients: c, nodes: n, domains: b, calls: o, files: reading.New(), journal: j, bus: bus,
		clock: clock,
	}
}

func (i *imports) now() time.Time { return i.clock.Now().UTC().Truncate(time.Microsecond) }

// readFile reads a file of another program. Faults: import_unknown_format, import_broken (422), body_too_large (413).
func (i *imports) readFile(ctx context.Context, file *os.File, size int64) (Import, error) {
	c, err := i.files.Read(ctx, file, size)
	switch {
	case errors.Is(err, reading.ErrUnknown):
		return Import{}, fault.Invalid("import_unknown_format", err.Error())
	case errors.Is(err, reading.ErrBroken):
		return Import{}, fault.Invalid("import_broken", err.Error())
	case errors.Is(err, reading.ErrTooMuch):
		return Import{}, fault.Invalid("import_broken", reading.ErrTooMuch.Error()).Wrap(err)
	case errors.Is(err, reading.ErrTooLarge):
		return Import{}, fault.TooLarge(err.Error())
	case err != nil:
		return Import{}, err
	}
	return i.keep(ctx, c)
}

// readOutside reads the inbounds of another panel.
// Faults: import_refused, invalid_value (422), import_error (502), import_timeout (504).
func (i *imports) readOutside(ctx context.Context, at Outside) (Import, error) {
	c, err := i.calls.read(ctx, at)
	if err != nil {
		return Import{}, err
	}
	return i.keep(ctx, c)
}

// keep stores what was read and shows it.
func (i *imports) keep(ctx context.Context, c *foreign.Config) (Import, error) {
	if err := i.known(ctx, c); err != nil {
		return Import{}, err
	}
	row := &importRow{
		ID: database.NewID(), AccountID: access.From(ctx).AccountID, Format: c.Format, Flows: []Made{},
		Clients: c.Clients, CreatedAt: i.now(),
	}
	if err := i.store.insert(ctx, row, c); err != nil {
		return Import{}, err
	}
	return i.shown(ctx, row, c)
}

// get shows an import of the caller. Fault: not_found (404).
func (i *imports) get(ctx context.Context, id string) (Import, error) {
	if !database.IsID(id) {
		return Import{}, missing()
	}
	row, c, err := i.store.get(ctx, id, i.now(), false)
	if err != nil {
		return Import{}, err
	}
	return i.shown(ctx, row, c)
}

// forget removes an import of the caller; flows that were made of it stay. Fault: not_found (404).
func (i *imports) forget(ctx context.Context, id string) error {
	if !database.IsID(id) {
		return missing()
	}
	return i.store.remove(ctx, id)
}

// shown is an import without its secrets.
func (i *imports) shown(ctx context.Context, row *importRow, c *foreign.Config) (Import, error) {
	out := Import{
		ID: row.ID, Format: row.Format, Entries: []Entry{}, Clients: row.Clients, Findings: []Finding{},
		Flows:     row.Flows,
		CreatedAt: row.CreatedAt.UTC(), ExpiresAt: row.CreatedAt.Add(life).UTC(),
	}
	for _, f := range c.Findings {
		out.Findings = append(out.Findings, Finding{
			Path: f.Path, Code: string(f.Code), Reason: f.Code.Reason(), Entry: f.Entry, What: f.What,
		})
	}
	free, err := i.free(ctx, c.Entries)
	if err != nil {
		return Import{}, err
	}
	for at := range c.Entries {
		shown, err := i.entry(&c.Entries[at])
		if err != nil {
			return Import{}, err
		}
		shown.Name = free[at]
		out.Entries = append(out.Entries, shown)
	}
	return out, nil
}

// entry is a listener without its secrets, with what is wrong in its drawing but for the node, which is chosen later.
func (i *imports) entry(e *foreign.Entry) (Entry, error) {
	out := Entry{
		Key: e.Key, Off: e.Off, Whole: e.Flow != nil, Domain: e.Domain, Clients: len(e.Clients), Rules: len(e.Rules),
		Problems: []Problem{},
	}
	for i := range e.Clients {
		if e.Clients[i].Subscription != "" {
			out.Subscriptions++
		}
	}
	if l := e.Listener; l != nil {
		out.Protocol, out.Transport = l.Protocol, l.Transport
		out.Security, out.Port = l.Security, cmp.Or(l.PortRange, strconv.Itoa(l.Port))
	}
	drawing, err := e.Drawing("")
	if err != nil {
		return out, err
	}
	found, err := i.drafts.Check(drawing)
	if refused, is := fault.As(err); is {
		out.Problems = append(out.Problems, Problem{Code: refused.Code, Message: refused.Detail})
		for _, field := range refused.Fields {
			out.Problems = append(out.Problems, Problem{Code: field.Code, Path: field.Field, Message: field.Message})
		}
		return out, nil
	}
	for _, p := range found {
		if p.Code != "node_required" {
			out.Problems = append(out.Problems, Problem(p))
		}
	}
	return out, err
}

// free gives each entry a name that neither a flow nor an entry before it has. What flows have is asked in rounds, in
// each for all entries that have no name yet.
func (i *imports) free(ctx context.Context, entries []foreign.Entry) ([]string, error) {
	out, used, open := make([]string, len(entries)), map[string]bool{}, make([]int, len(entries))
	for at := range open {
		open[at] = at
	}
	const rounds = 1000
	for n := 1; len(open) > 0; n++ {
		wanted := make([]string, len(open))
		for j, at := range open {
			wanted[j] = numbered(baseOf(&entries[at]), n)
		}
		taken, err := i.drafts.Taken(ctx, wanted...)
		if err != nil {
			return nil, fmt.Errorf("look for flows of some names: %w", err)
		}
		for _, name := range taken {
			used[names.SearchKey(name)] = true
		}
		var still []int
		for j, at := range open {
			if key := names.SearchKey(wanted[j]); !used[key] || n == rounds {
				out[at], used[key] = wanted[j], true
			} else {
				still = append(still, at)
			}
		}
		open = still
	}
	return out, nil
}

// baseOf is the name of an entry, long enough for a flow.
func baseOf(e *foreign.Entry) string {
	if len([]rune(e.Name)) < 3 {
		return "Flow " + e.Name
	}
	return e.Name
}

func numbered(base string, n int) string {
	if n == 1 {
		return base
	}
	suffix := " " + strconv.Itoa(n)
	return foreign.Clean(base, foreign.MaxLabel-len(suffix)) + suffix
}
