package people

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/fault"
	"panel/platform/outbound"
)

func opening(t *testing.T, err error) *People {
	t.Helper()
	network, failed := outbound.Through("")
	require.NoError(t, failed)
	client, failed := remnawave.Open(network, remnawave.Access{BaseURL: "http://192.0.2.1"}, nil, clockwork.NewFakeClock())
	require.NoError(t, failed)
	return &People{Open: func(context.Context, string) (*remnawave.Client, error) {
		if err != nil {
			return nil, err
		}
		return client, nil
	}}
}

// A reference that names nobody is refused before anybody is asked.
func TestAReferenceThatNamesNobodyIsUnknown(t *testing.T) {
	t.Parallel()
	p := opening(t, errors.New("nobody was to be asked"))
	for _, ref := range []string{"", "p:", "7", "p:0199a0de-0000-7000-8000-00000000000a:", "p:x:7", "c:0199a0de-0000-7000-8000-00000000000a:7"} {
		_, errRead := p.Read(t.Context(), ref)
		_, errDrop := p.Drop(t.Context(), ref)
		for _, err := range []error{errRead, errDrop, p.Disable(t.Context(), ref), p.Enable(t.Context(), ref)} {
			require.ErrorIs(t, err, proxypanelapi.ErrUnknown, ref)
		}
		names, err := p.Labels(t.Context(), ref)
		require.NoError(t, err)
		require.Empty(t, names)
	}
}

// What goes wrong is told in the words of the API: who is not there, and why the other panel could not be used.
func TestWhatGoesWrongIsToldInTheWordsOfTheAPI(t *testing.T) {
	t.Parallel()
	gone := &remnawave.Problem{Cause: remnawave.PanelFailed, Status: http.StatusNotFound, Code: "A063"}
	page := &remnawave.Problem{Cause: remnawave.GatePage, Status: http.StatusNotFound}
	slow := &remnawave.Problem{Cause: remnawave.SlowDown, Wait: time.Minute}
	away := errors.New("the database is away")
	for name, one := range map[string]struct {
		open, act, is error
		code          string
	}{
		"no such connection": {fault.Missing(fault.NoSuchThing), nil, proxypanelapi.ErrUnknown, ""},
		"no such user":       {nil, fmt.Errorf("read: %w", gone), proxypanelapi.ErrUnknown, ""},
		"a page":             {nil, page, page, "proxypanel_error"},
		"it wants a pause":   {nil, slow, slow, "proxypanel_error"},
		"the database":       {nil, away, away, ""},
		"another error":      {away, nil, away, ""},
	} {
		err := opening(t, one.open).ask(t.Context(), "c", func(ctx context.Context, _ *remnawave.Client) error {
			_, bounded := ctx.Deadline()
			require.True(t, bounded)
			return one.act
		})
		require.ErrorIs(t, err, one.is, name)
		if one.code != "" {
			require.Equal(t, one.code, fault.Code(err), name)
		}
	}
	require.NoError(t, opening(t, nil).ask(t.Context(), "c", func(context.Context, *remnawave.Client) error { return nil }))
}
