package owners_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/owners"
)

// shelf is a kind of things that all belong to one account.
type shelf struct {
	owner  string
	things []owners.Thing
	fails  error
}

func (s *shelf) kind() owners.Kind {
	return owners.Kind{
		Owned: func(_ context.Context, account string, most int) ([]owners.Thing, int, error) {
			if account != s.owner {
				return nil, 0, s.fails
			}
			return s.things[:min(most, len(s.things))], len(s.things), s.fails
		},
		HandOver: func(_ context.Context, from, to string) error {
			if from == s.owner && s.fails == nil {
				s.owner = to
			}
			return s.fails
		},
	}
}

func TestARegistryAsksEveryKind(t *testing.T) {
	t.Parallel()
	flows := &shelf{owner: "anna", things: []owners.Thing{{Type: "flow", ID: "1"}, {Type: "flow", ID: "2"}}}
	domains := &shelf{owner: "anna", things: []owners.Thing{{Type: "node_domain", ID: "3"}}}
	r := owners.NewRegistry()
	r.Add(flows.kind())
	r.Add(domains.kind())

	some, total, err := r.Owned(t.Context(), "anna", 10)
	require.NoError(t, err)
	require.Len(t, some, 3)
	require.Equal(t, 3, total)
	some, total, err = r.Owned(t.Context(), "anna", 2)
	require.NoError(t, err)
	require.Len(t, some, 2, "the list is cut, the count is not")
	require.Equal(t, 3, total)

	require.NoError(t, r.HandOver(t.Context(), "anna", "boris"))
	_, total, err = r.Owned(t.Context(), "anna", 10)
	require.NoError(t, err)
	require.Zero(t, total)
	require.Equal(t, "boris", domains.owner)
}

func TestAKindThatFailsIsNotPassedOver(t *testing.T) {
	t.Parallel()
	broken := &shelf{owner: "anna", fails: errors.New("the database is away")}
	r := owners.NewRegistry()
	r.Add(broken.kind())
	_, _, err := r.Owned(t.Context(), "anna", 10)
	require.ErrorIs(t, err, broken.fails)
	require.ErrorIs(t, r.HandOver(t.Context(), "anna", "boris"), broken.fails)
}
