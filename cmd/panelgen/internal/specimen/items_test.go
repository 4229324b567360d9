package specimen

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/paneltest"
)

const path = "/api/v1/specimen/items"

type fields = map[string]any

// The manifest keeps the rules that hold for every module. It looks at all goroutines, so it runs alone.
func TestModule(t *testing.T) { //nolint:paralleltest // looks at the goroutines of the process
	paneltest.Check(t, Module())
}

func TestAnItemIsAddedReadChangedAndRemoved(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).As(string(View), string(Manage))
	added := admin.Post(path, fields{"name": "first", "comment": "of many"}).Is(http.StatusCreated)
	one := path + "/" + added.Text("id")
	require.Equal(t, "of many", admin.Get(one).Is(http.StatusOK).Text("comment"))

	changed := admin.Patch(one, fields{"revision": 1, "name": "second"}).Is(http.StatusOK)
	require.Equal(t, "second", changed.Text("name"))
	require.Equal(t, "of many", changed.Text("comment"), "what is absent stays")

	admin.Delete(one).Is(http.StatusNoContent)
	admin.Get(one).Refused(http.StatusNotFound, "not_found")
	admin.Delete(one).Refused(http.StatusNotFound, "not_found")
	admin.Patch(one, fields{"revision": 2}).Refused(http.StatusNotFound, "not_found")
}

// Rule: whoever may see may not change.
func TestViewersCannotChange(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	one := path + "/" + p.Admin().Post(path, fields{"name": "first"}).Is(http.StatusCreated).Text("id")
	viewer := p.As(string(View))
	viewer.Get(one).Is(http.StatusOK)
	viewer.Post(path, fields{"name": "second"}).Refused(http.StatusForbidden, "permission_denied")
	viewer.Patch(one, fields{"revision": 1}).Refused(http.StatusForbidden, "permission_denied")
	viewer.Delete(one).Refused(http.StatusForbidden, "permission_denied")
}

// Rule: a name is used once.
func TestANameIsUsedOnce(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	admin.Post(path, fields{"name": "first"}).Is(http.StatusCreated)
	admin.Post(path, fields{"name": "first"}).Refused(http.StatusConflict, "name_taken")
	second := admin.Post(path, fields{"name": "second"}).Is(http.StatusCreated).Text("id")
	admin.Patch(path+"/"+second, fields{"revision": 1, "name": "first"}).Refused(http.StatusConflict, "name_taken")
}

// Rule: a change starts from the revision that was read; of two that started from the same one, one is refused.
func TestAChangeStartsFromTheRevisionThatWasRead(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	one := path + "/" + admin.Post(path, fields{"name": "first"}).Is(http.StatusCreated).Text("id")
	admin.Patch(one, fields{"comment": "x"}).Refused(http.StatusBadRequest, "missing_field")
	admin.Do(http.MethodPatch, one, fields{"comment": "x"}, "If-Match", `"1"`).Is(http.StatusOK)
	admin.Patch(one, fields{"revision": 1, "comment": "y"}).Refused(http.StatusConflict, "revision_conflict")
	require.Equal(t, "x", admin.Get(one).Text("comment"))
}

// Rule: a request that is repeated with its Idempotency-Key adds nothing a second time.
func TestARepeatedRequestAddsOneItem(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	first := admin.Do(http.MethodPost, path, fields{"name": "first"}, "Idempotency-Key", "k").Is(http.StatusCreated)
	again := admin.Do(http.MethodPost, path, fields{"name": "first"}, "Idempotency-Key", "k").Is(http.StatusCreated)
	require.Equal(t, first.Text("id"), again.Text("id"))
	admin.Do(http.MethodPost, path, fields{"name": "other"}, "Idempotency-Key", "k").
		Refused(http.StatusConflict, "idempotency_mismatch")
	require.EqualValues(t, 1, admin.Get(path).Value("total"))
}

// A list is read on from the cursor of the page before, in the order that was asked for.
func TestItemsAreListedPageByPage(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	for i := range 5 {
		admin.Post(path, fields{"name": fmt.Sprint("item ", i)}).Is(http.StatusCreated)
	}
	for sort, wanted := range map[string][]string{
		"name": {"item 0", "item 1", "item 2", "item 3", "item 4"}, "-created_at": {
			"item 4", "item 3", "item 2",
			"item 1", "item 0",
		},
	} {
		require.Equal(t, wanted, namesOf(t, admin, sort))
	}
}

func namesOf(t *testing.T, as *paneltest.Client, sort string) (names []string) {
	t.Helper()
	var page struct {
		Items []Item  `json:"items"`
		Next  *string `json:"next_cursor"`
		Total int     `json:"total"`
	}
	for query := "?limit=2&sort=" + sort; ; query = "?limit=2&sort=" + sort + "&cursor=" + *page.Next {
		page.Next = nil
		as.Get(path + query).Is(http.StatusOK).JSON(&page)
		require.Equal(t, 5, page.Total)
		for _, item := range page.Items {
			names = append(names, item.Name)
		}
		if page.Next == nil {
			return names
		}
	}
}

// Rule: there are never more items than the settings allow, also when many are added at once.
func TestTheSettingsLimitTheItems(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	admin.Put("/api/v1/specimen/settings", fields{"revision": 0, "settings": fields{"most_items": 2}}).Is(http.StatusOK)
	var added sync.WaitGroup
	answers := make([]*paneltest.Answer, 6)
	for i := range answers {
		added.Go(func() { answers[i] = admin.Post(path, fields{"name": fmt.Sprint("item ", i)}) })
	}
	added.Wait()
	full := slices.DeleteFunc(answers, func(a *paneltest.Answer) bool { return a.Status == http.StatusCreated })
	require.Len(t, full, 4)
	for _, refused := range full {
		refused.Refused(http.StatusConflict, "specimen_full")
	}
	require.EqualValues(t, 2, admin.Get(path).Value("total"))
}

// Rule: each change and its line in the journal commit together.
func TestEachChangeIsInTheJournal(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.Admin()
	id := admin.Post(path, fields{"name": "first"}).Is(http.StatusCreated).Text("id")
	admin.Patch(path+"/"+id, fields{"revision": 1, "name": "second"}).Is(http.StatusOK)
	admin.Delete(path + "/" + id).Is(http.StatusNoContent)
	admin.Put("/api/v1/specimen/settings", fields{"revision": 0, "settings": fields{"most_items": 7}}).Is(http.StatusOK)
	require.Equal(t, []string{kindAdded, actionChanged, kindRemoved}, p.Recorded(object, id))
	require.Equal(t, []string{actionSettings}, p.Recorded("settings", "specimen"))
}

// Nothing is left of a change whose transaction does not commit: no item, no line, no event.
func TestAnUndoneChangeLeavesNothing(t *testing.T) {
	t.Parallel()
	p, own := watched(t)
	undo := errors.New("undo")
	err := p.DB.InTx(t.Context(), func(ctx context.Context) error {
		_, err := own.items.add(ctx, NewItem{Name: "first"})
		require.NoError(t, err)
		return undo
	})
	require.ErrorIs(t, err, undo)
	require.EqualValues(t, 0, p.Admin().Get(path).Value("total"))
	require.Empty(t, p.Recorded(object, ""))
}

func TestAnUnknownItemIsNotFound(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	for _, id := range []string{database.NewID(), "zzz"} {
		admin.Get(path+"/"+id).Refused(http.StatusNotFound, "not_found")
	}
}
