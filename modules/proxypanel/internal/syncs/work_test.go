package syncs

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
)

// How a run ended is told by its cause; one that was broken off has failed for no reason of the other panel.
func TestARunIsJudgedByItsFailure(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	refused := fmt.Errorf("list: %w", &remnawave.Problem{Cause: remnawave.TokenRefused, Detail: "who"})
	for name, one := range map[string]struct {
		ctx     context.Context
		failure error
		want    row
	}{
		"none":                {t.Context(), nil, row{State: Succeeded}},
		"none, at the end":    {over, nil, row{State: Succeeded}},
		"the panel refuses":   {t.Context(), refused, row{State: Failed, Cause: remnawave.TokenRefused, Detail: "who"}},
		"it was broken off":   {over, refused, row{State: Failed, Cause: Interrupted}},
		"something else":      {t.Context(), errors.New("x"), row{State: Failed, Cause: remnawave.PanelFailed}},
		"something was wrong": {over, errors.New("x"), row{State: Failed, Cause: Interrupted}},
	} {
		r := row{}
		r.judge(one.ctx, one.failure)
		require.Equal(t, one.want, r, name)
	}
}

// The progress goes from the objects, a tenth, to just before the end, whatever number of users was expected.
func TestTheProgressOfARun(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ seen, expected, want int }{
		{0, 0, 10}, {100, 0, 10}, {5, -1, 10}, {0, 1000, 10}, {500, 1000, 54}, {1000, 1000, 99}, {5000, 1000, 99},
	} {
		require.Equal(t, one.want, share(one.seen, one.expected), one)
	}
	for expected, want := range map[int]int{
		0: 250, -5: 250, 125_000: 250, 200_000: 400, 500_000: 1000, 10_000_000: 1000,
	} {
		require.Equal(t, want, pageSize(expected), expected)
	}
	r := row{Added: 1, StartedAt: time.Date(2026, 11, 27, 15, 0, 0, 0, time.FixedZone("", 3*3600))}
	r.count(shadow.Changes{Added: 2, Changed: 3, Gone: 4})
	require.Equal(t, []int{3, 3, 4}, []int{r.Added, r.Changed, r.Gone})
	require.Equal(t, time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC), r.shown().StartedAt)
	require.Nil(t, r.shown().FinishedAt)
}

// A question is asked up to three times where the next time may be better, and once where it may not.
func TestAQuestionIsAskedAgainWhereThatMayHelp(t *testing.T) {
	t.Parallel()
	passing, lasting := &remnawave.Problem{Cause: "timeout"}, &remnawave.Problem{Cause: remnawave.TokenRefused, Status: 401}
	long := &remnawave.Problem{Cause: remnawave.SlowDown, Wait: stepWithin}
	other := errors.New("the database is away")
	for name, one := range map[string]struct {
		answers []error
		asked   int
		err     error
	}{
		"at once":              {[]error{nil}, 1, nil},
		"the second time":      {[]error{passing, nil}, 2, nil},
		"the third time":       {[]error{passing, passing, nil}, 3, nil},
		"never":                {[]error{passing, passing, passing}, 3, passing},
		"it refuses":           {[]error{lasting}, 1, lasting},
		"it refuses then":      {[]error{passing, lasting}, 2, lasting},
		"it wants longer":      {[]error{long}, 1, long},
		"it is another matter": {[]error{other}, 1, other},
	} {
		asked := 0
		answer, err := again(t.Context(), func(ctx context.Context) (int, error) {
			_, bounded := ctx.Deadline()
			require.True(t, bounded, "each question has its end")
			asked++
			return asked, one.answers[asked-1]
		})
		require.Equal(t, one.asked, asked, name)
		require.Equal(t, asked, answer, name)
		require.ErrorIs(t, err, one.err, name)
	}
}
