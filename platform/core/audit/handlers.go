package audit

import (
	"context"
	"time"

	"panel/platform/audit"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/places"
)

// verifyWithin leaves room below the deadline of a request; a longer journal gives a report that says it is not
// complete.
const (
	verifyWithin = 20 * time.Second
	verifyAnswer = 10 * time.Second
)

type handlers struct {
	store   *audit.Store
	book    *places.Book
	proving chan struct{} // one verification at a time: it reads everything
}

func newHandlers(store *audit.Store, book *places.Book) *handlers {
	return &handlers{store, book, make(chan struct{}, 1)}
}

// Filter is the part of the query that chooses entries.
type Filter struct {
	Actor  string    `query:"actor" maxLength:"200" doc:"Id or name of who did it"`
	Action string    `query:"action" maxLength:"100" doc:"A word of the event catalogue, or a family such as flow.*"`
	Object string    `query:"object" maxLength:"300" doc:"Id or name of what it was done to"`
	Result string    `query:"result" enum:"ok,denied,failed"`
	From   time.Time `query:"from" doc:"First moment that is included"`
	To     time.Time `query:"to" doc:"First moment that is not included any more"`
	Q      string    `query:"q" maxLength:"200" doc:"Text in names, ids, action, address or request id"`
}

func (f Filter) chosen() audit.Filter {
	return audit.Filter{
		Actor: f.Actor, Action: f.Action, Object: f.Object, Result: f.Result, From: f.From, To: f.To,
		Text: f.Q,
	}
}

type listInput struct {
	httpapi.PageQuery
	Filter
}

type listOutput struct{ Body httpapi.Page[Entry] }

// The two orders of the journal.
const (
	newestFirst = "-at"
	oldestFirst = "at"
)

func (h *handlers) list(ctx context.Context, in *listInput) (*listOutput, error) {
	if in.Sort == "" {
		in.Sort = newestFirst
	}
	if in.Sort != newestFirst && in.Sort != oldestFirst {
		return nil, httpapi.ErrSort
	}
	after, err := placeOf(in.Cursor, in.Sort)
	if err != nil {
		return nil, err
	}
	rows, total, err := h.store.List(ctx, in.chosen(), after, in.Sort == oldestFirst, in.Limit+1)
	if err != nil {
		return nil, err
	}
	page, where := httpapi.Page[Entry]{Items: []Entry{}, Total: total}, h.where(ctx, rows...)
	for i, row := range rows {
		if i == in.Limit {
			page.NextCursor = cursorAfter(rows[i-1], in.Sort)
			break
		}
		page.Items = append(page.Items, entryOf(row, where))
	}
	return &listOutput{page}, nil
}

// where looks up the addresses of callers.
func (h *handlers) where(ctx context.Context, rows ...audit.Row) map[string]*places.Place {
	addresses := make([]string, len(rows))
	for i, row := range rows {
		addresses[i] = row.IP
	}
	return h.book.Of(ctx, addresses...)
}

func cursorAfter(row audit.Row, sort string) *string {
	return httpapi.Cursor{Sort: sort, Value: row.At.UTC().Format(time.RFC3339Nano), ID: row.ID}.Text()
}

func placeOf(cursor, sort string) (audit.Place, error) {
	last, err := httpapi.ReadCursor(cursor, sort, httpapi.CursorMoment)
	if last == nil {
		return audit.Place{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, last.Value)
	if err != nil {
		return audit.Place{}, httpapi.ErrCursor
	}
	return audit.Place{At: at, ID: last.ID}, nil
}

type getInput struct {
	ID string `path:"id"`
}

type getOutput struct{ Body Entry }

func (h *handlers) get(ctx context.Context, in *getInput) (*getOutput, error) {
	row, err := h.store.Get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &getOutput{entryOf(row, h.where(ctx, row))}, nil
}

type actionsOutput struct {
	Body struct {
		Items []string `json:"items"`
	}
}

func (h *handlers) actions(ctx context.Context, _ *struct{}) (*actionsOutput, error) {
	words, err := h.store.Actions(ctx)
	if err != nil {
		return nil, err
	}
	out := &actionsOutput{}
	out.Body.Items = words
	return out, nil
}

type verifyOutput struct{ Body audit.Report }

func (h *handlers) verify(ctx context.Context, _ *struct{}) (*verifyOutput, error) {
	select {
	case h.proving <- struct{}{}:
		defer func() { <-h.proving }()
	case <-ctx.Done():
		return nil, fault.Unavailable("another verification is running; try again in a moment")
	}
	report, err := h.store.Verify(ctx, verifyWithin)
	if err != nil {
		return nil, err
	}
	return &verifyOutput{report}, nil
}
