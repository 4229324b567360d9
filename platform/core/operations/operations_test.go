package operations_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/operations"
	"panel/platform/paneltest"
)

type bake struct {
	How string `json:"how"`
}

// Kind is that of the test's module.
func (bake) Kind() string { return "ovens.bake" }

type bakeInput struct{ Body bake }

type bakeOutput struct {
	Body struct {
		Operation string `json:"operation"`
	}
}

// ovens is a module that starts operations: its jobs end as they are asked to, or when the gate opens.
func ovens(gate <-chan struct{}) module.Module {
	work := jobs.Do(func(ctx context.Context, job jobs.Job, b bake) error {
		switch b.How {
		case "fail":
			return jobs.Permanent(errors.New("the dough did not rise"))
		case "slow":
			if err := job.Progress(ctx, 40); err != nil {
				return err
			}
			select {
			case <-gate:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	attach := func(queue *jobs.Enqueuer) module.Parts {
		start := func(ctx context.Context, in *bakeInput) (*bakeOutput, error) {
			asked := &operations.New{About: operations.About{Type: "oven", ID: "7", Name: "big oven"}}
			err := queue.Insert(ctx, in.Body, jobs.Opts{Operation: asked})
			out := &bakeOutput{}
			out.Body.Operation = asked.ID
			return out, err
		}
		return module.Parts{
			Jobs:   []jobs.Worker{{Kind: "ovens.bake", Work: work}},
			Routes: httpapi.Under("/api/v1/ovens", "", httpapi.Post("", "Bake", access.Session(), start)),
		}
	}
	return module.Module{Name: "ovens", Summary: "A module of a test", Attach: attach}
}

const at = "/api/v1/operations/"

func started(t *testing.T, c *paneltest.Client, how string) string {
	t.Helper()
	id := c.Post("/api/v1/ovens", map[string]any{"how": how}).Is(http.StatusOK).Text("operation")
	require.NotEmpty(t, id)
	return id
}

func reaches(t *testing.T, c *paneltest.Client, id, state string) *paneltest.Answer {
	t.Helper()
	require.Eventually(
		t,
		func() bool { return c.Get(at+id).Is(http.StatusOK).Text("state") == state },
		30*time.Second,
		20*time.Millisecond,
	)
	return c.Get(at + id)
}

func TestAnOperationShowsHowAJobGoes(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	p := paneltest.New(t, ovens(gate))
	admin := p.Admin()
	id := started(t, admin, "slow")
	reaches(t, admin, id, "running")
	require.Eventually(
		t,
		func() bool { return admin.Get(at+id).Value("progress") == 40.0 },
		30*time.Second,
		20*time.Millisecond,
	)
	require.EqualValues(t, 1, admin.Get("/api/v1/operations?active=true").Value("total"))
	close(gate)
	done := reaches(t, admin, id, "succeeded")
	require.EqualValues(t, 100, done.Value("progress"))
	require.Equal(t, "big oven", done.Text("about.name"))
	require.Equal(t, "ovens.bake", done.Text("kind"))
	require.NotNil(t, done.Value("finished_at"))
	failed := reaches(t, admin, started(t, admin, "fail"), "failed")
	require.Equal(t, "the dough did not rise", failed.Text("error"))
	require.EqualValues(t, 0, admin.Get("/api/v1/operations?active=true").Value("total"))
	admin.Post(at+id+"/cancel", nil).Refused(http.StatusConflict, "operation_ended")
}

func TestARunningOperationIsCancelled(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, ovens(nil))
	admin := p.Admin()
	running, waiting := started(t, admin, "slow"), ""
	reaches(t, admin, running, "running")
	waiting = started(t, admin, "slow")
	require.Equal(t, "cancelled", admin.PostOnce(at+waiting+"/cancel", nil).Is(http.StatusOK).Text("state"))
	admin.Post(at+running+"/cancel", nil).Is(http.StatusOK)
	reaches(t, admin, running, "cancelled")
	require.Empty(t, admin.Get(at+running).Text("error"))
	written := 0
	require.NoError(
		t,
		p.DB.NewRaw("select count(*) from journal where action = 'operation.cancelled'").Scan(t.Context(), &written),
	)
	require.Equal(t, 2, written)
}

// Operations are seen by whoever started them, and by full access; nobody else learns that they exist.
func TestOperationsBelongToWhoStartedThem(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, ovens(nil))
	admin, one, two := p.Admin(), p.As("audit.view"), p.As("audit.view")
	mine := started(t, one, "ok")
	reaches(t, one, mine, "succeeded")
	require.EqualValues(t, 1, one.Get("/api/v1/operations").Value("total"))
	require.EqualValues(t, 0, two.Get("/api/v1/operations").Value("total"))
	two.Get(at+mine).Refused(http.StatusNotFound, "not_found")
	two.Post(at+mine+"/cancel", nil).Refused(http.StatusNotFound, "not_found")
	two.Get(at+"nonsense").Refused(http.StatusNotFound, "not_found")
	require.Equal(t, mine, admin.Get(at+mine).Is(http.StatusOK).Text("id"))
}

func TestTheListIsReadPageByPage(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, ovens(nil))
	admin := p.Admin()
	var ids []string
	for range 5 {
		ids = append(ids, started(t, admin, "ok"))
	}
	slices.Reverse(ids)
	var read []string
	query := "/api/v1/operations?limit=2"
	for next := query; next != ""; {
		page := admin.Get(next).Is(http.StatusOK)
		for _, item := range page.Value("items").([]any) {
			read = append(read, item.(map[string]any)["id"].(string))
		}
		cursor, more := page.Value("next_cursor").(string)
		if next = ""; more {
			next = query + "&cursor=" + cursor
		}
	}
	require.Equal(t, ids, read)
	admin.Get("/api/v1/operations?cursor=x").Refused(http.StatusBadRequest, "bad_parameter")
}
