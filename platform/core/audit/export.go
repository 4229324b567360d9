package audit

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"panel/platform/audit"
	"panel/platform/httpapi"
)

type exportInput struct {
	Filter
	Format string `query:"format" enum:"csv,ndjson" default:"csv"`
}

var forms = map[string]struct {
	kind  string
	write func(ctx context.Context, w io.Writer, each eachEntry) error
}{
	"csv": {"text/csv; charset=utf-8", writeCSV}, "ndjson": {"application/x-ndjson", writeNDJSON},
}

// export streams all chosen entries; the memory it takes does not grow with the journal.
func (h *handlers) export(_ context.Context, in *exportInput) (*httpapi.File, error) {
	form := forms[in.Format]
	return &httpapi.File{Name: "journal." + in.Format, Type: form.kind, Write: func(ctx context.Context,
		w io.Writer,
	) error {
		return form.write(ctx, w, func(ctx context.Context, visit func(Entry, audit.Row) error) error {
			return h.store.Each(ctx, in.chosen(), func(row audit.Row) error {
				return visit(entryOf(row, h.where(ctx, row)), row)
			})
		})
	}}, nil
}

// eachEntry visits the chosen entries.
type eachEntry func(ctx context.Context, visit func(Entry, audit.Row) error) error

func writeNDJSON(ctx context.Context, w io.Writer, each eachEntry) error {
	lines := json.NewEncoder(w)
	return each(ctx, func(entry Entry, _ audit.Row) error { return lines.Encode(entry) })
}

var columns = []string{
	"seq", "id", "at", "actor_kind", "actor_id", "actor_name", "action", "object_type", "object_id", "object_name",
	"result",
	"ip", "user_agent", "request_id", "count", "changes", "hash",
}

func writeCSV(ctx context.Context, w io.Writer, each eachEntry) error {
	table := csv.NewWriter(w)
	if err := table.Write(columns); err != nil {
		return err
	}
	err := each(ctx, func(entry Entry, row audit.Row) error { return table.Write(cells(entry, row.Changes)) })
	table.Flush()
	return cmp.Or(err, table.Error())
}

func cells(e Entry, changes string) []string {
	seq, hash := "", ""
	if e.Seq != nil {
		seq, hash = strconv.FormatInt(*e.Seq, 10), *e.Hash
	}
	line := []string{
		seq, e.ID, e.At.Format(time.RFC3339Nano), e.Actor.Kind, e.Actor.ID, e.Actor.Name, e.Action, e.Object.Type,
		e.Object.ID, e.Object.Name,
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
