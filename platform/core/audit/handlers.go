package audit

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"github.com/google/uuid"

	"panel/platform/audit"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// verifyWithin leaves room below the deadline of a request; a longer journal gives a report that says it is not complete.
const (
	verifyWithin = 20 * time.Second
	verifyAnswer = 10 * time.Second
)

type handlers struct {
	store   *audit.Store
	streams *httpapi.Streams
	proving chan struct{} // one verification at a time: it reads everything
}

func newHandlers(store *audit.Store, streams *httpapi.Streams) *handlers {
	return &handlers{store, streams, make(chan struct{}, 1)}
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
	return audit.Filter{Actor: f.Actor, Action: f.Action, Object: f.Object, Result: f.Result, From: f.From, To: f.To, Text: f.Q}
}

type listInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" maxLength:"512"`
	Filter
}

type listOutput struct{ Body httpapi.Page[Entry] }

func (h *handlers) list(ctx context.Context, in *listInput) (*listOutput, error) {
	after, err := placeOf(in.Cursor)
	if err != nil {
		return nil, err
	}
	rows, total, err := h.store.List(ctx, in.chosen(), after, in.Limit+1)
	if err != nil {
		return nil, err
	}
	page := httpapi.Page[Entry]{Items: []Entry{}, Total: total}
	for i, row := range rows {
		if i == in.Limit {
			page.NextCursor = cursorAfter(rows[i-1])
			break
		}
		page.Items = append(page.Items, entryOf(row))
	}
	return &listOutput{page}, nil
}

var errCursor = fault.Malformed("bad_parameter", "the cursor does not belong to this list; start again without it").
	Field("query.cursor", "bad_parameter", "not a cursor of this list")

func cursorAfter(row audit.Row) *string {
	cursor := base64.RawURLEncoding.EncodeToString([]byte(row.At.UTC().Format(time.RFC3339Nano) + " " + row.ID))
	return &cursor
}

func placeOf(cursor string) (audit.Place, error) {
	if cursor == "" {
		return audit.Place{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return audit.Place{}, errCursor
	}
	text, id, _ := strings.Cut(string(raw), " ")
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || len(id) != 36 || uuid.Validate(id) != nil {
		return audit.Place{}, errCursor
	}
	return audit.Place{At: at, ID: id}, nil
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
	return &getOutput{entryOf(row)}, nil
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
