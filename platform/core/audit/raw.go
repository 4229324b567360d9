package audit

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"panel/platform/audit"
	"panel/platform/fault"
)

// export streams all chosen entries; the memory it takes does not grow with the journal.
func (h *handlers) export(c *fiber.Ctx) error {
	filter, err := filterOf(c)
	if err != nil {
		return err
	}
	write, kind, err := form(c.Query("format", "csv"))
	if err != nil {
		return err
	}
	ctx := h.streams.Detach(c.UserContext())
	c.Set(fiber.HeaderContentType, kind)
	c.Set(fiber.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="journal.%s"`, strings.Clone(c.Query("format", "csv"))))
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		_ = write(ctx, w, h.store, filter)
		_ = w.Flush()
	})
	return nil
}

type writer func(ctx context.Context, w io.Writer, store *audit.Store, filter audit.Filter) error

func form(name string) (writer, string, error) {
	switch name {
	case "csv":
		return writeCSV, "text/csv; charset=utf-8", nil
	case "ndjson":
		return writeNDJSON, "application/x-ndjson", nil
	}
	return nil, "", wrong("format", "must be csv or ndjson")
}

func wrong(field, message string) error {
	return fault.Malformed("bad_parameter", "a parameter is not what this operation takes").Field("query."+field, "bad_parameter", message)
}

const longestParameter = 300

func filterOf(c *fiber.Ctx) (audit.Filter, error) {
	f := audit.Filter{}
	for name, field := range map[string]*string{
		"actor": &f.Actor, "action": &f.Action, "object": &f.Object, "result": &f.Result, "q": &f.Text,
	} {
		*field = strings.Clone(c.Query(name))
		if len(*field) > longestParameter {
			return f, wrong(name, "is too long")
		}
	}
	if f.Result != "" && f.Result != audit.OK && f.Result != audit.Denied && f.Result != audit.Failed {
		return f, wrong("result", "must be ok, denied or failed")
	}
	return f, times(c, &f)
}

func times(c *fiber.Ctx, f *audit.Filter) error {
	for name, field := range map[string]*time.Time{"from": &f.From, "to": &f.To} {
		text := c.Query(name)
		if text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return wrong(name, "must look like 2027-03-01T00:00:00Z")
		}
		*field = at
	}
	return nil
}

func writeNDJSON(ctx context.Context, w io.Writer, store *audit.Store, filter audit.Filter) error {
	lines := json.NewEncoder(w)
	return store.Each(ctx, filter, func(row audit.Row) error { return lines.Encode(entryOf(row)) })
}

var columns = []string{
	"seq", "id", "at", "actor_kind", "actor_id", "actor_name", "action", "object_type", "object_id", "object_name", "result",
	"ip", "user_agent", "request_id", "count", "changes", "hash",
}

func writeCSV(ctx context.Context, w io.Writer, store *audit.Store, filter audit.Filter) error {
	table := csv.NewWriter(w)
	if err := table.Write(columns); err != nil {
		return err
	}
	err := store.Each(ctx, filter, func(row audit.Row) error { return table.Write(cells(entryOf(row), row.Changes)) })
	table.Flush()
	return err
}

func cells(e Entry, changes string) []string {
	seq, hash := "", ""
	if e.Seq != nil {
		seq, hash = strconv.FormatInt(*e.Seq, 10), *e.Hash
	}
	line := []string{
		seq, e.ID, e.At.Format(time.RFC3339Nano), e.Actor.Kind, e.Actor.ID, e.Actor.Name, e.Action, e.Object.Type, e.Object.ID, e.Object.Name,
		e.Result, e.IP, e.UserAgent, e.RequestID, strconv.Itoa(e.Count), changes, hash,
	}
	for i, cell := range line {
		line[i] = harmless(cell)
	}
	return line
}

// harmless keeps a spreadsheet from running a cell as a formula.
func harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
