package specimen

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

func TestSettingsAreReadByViewersAndSetByManagers(t *testing.T) {
	t.Parallel()
	const document = "/api/v1/specimen/settings"
	p := paneltest.New(t, Module())
	viewer, manager := p.As(string(View)), p.As(string(Manage))
	usually := viewer.Get(document).Is(http.StatusOK)
	require.EqualValues(t, usual.MostItems, usually.Value("settings.most_items"))
	require.Equal(t, false, usually.Value("stored"))

	change := fields{"revision": 0, "settings": fields{"most_items": 5}}
	viewer.Put(document, change).Refused(http.StatusForbidden, "permission_denied")
	manager.Put(document, change).Is(http.StatusOK)
	require.EqualValues(t, 5, viewer.Get(document).Value("settings.most_items"))
	manager.Put(document, change).Refused(http.StatusConflict, "revision_conflict")
	manager.Put(document, fields{"revision": 1, "settings": fields{"most_items": 0}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}
