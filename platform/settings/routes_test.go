package settings_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/module"
	"panel/platform/paneltest"
	"panel/platform/settings"
)

type letters struct {
	Sender string          `json:"sender" maxLength:"20"`
	Token  settings.Secret `json:"token,omitempty" maxLength:"64"`
}

type shown struct {
	Sender   string `json:"sender"`
	HasToken bool   `json:"has_token"`
}

// post is a module with one settings document.
func post() module.Module {
	return module.Module{
		Name: "post", Summary: "Letters",
		Journal:     audit.Kinds{Actions: []string{"post.settings_changed"}, Objects: []string{"settings"}},
		Events:      []events.Kind{settings.Kind("post.settings_changed", "Settings were changed", "post.view")},
		Permissions: []access.Permission{{Key: "post.view", Summary: "See"}, {Key: "post.manage", Summary: "Change"}},
		Attach: func(store *settings.Store) module.Parts {
			doc := settings.Open(store, "post", "post.settings_changed", letters{Sender: "panel"},
				func(l *letters) error {
					if l.Sender == "nobody" {
						return fault.InvalidValue("settings.sender", "letters need a sender")
					}
					return nil
				})
			view := func(l letters) shown { return shown{Sender: l.Sender, HasToken: l.Token.Set()} }
			return module.Parts{Routes: settings.Routes("/api/v1/post/settings", "letters",
				access.Needs("post.view"), access.Needs("post.manage"), doc, view)}
		},
	}
}

type answer = settings.Document[shown]

type object = map[string]any

func of(t *testing.T, response *paneltest.Answer) (read answer) {
	t.Helper()
	response.Is(http.StatusOK).JSON(&read)
	return read
}

const path = "/api/v1/post/settings"

func TestSettingsAreShownAndChangedOverHTTP(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, post())
	viewer, manager := p.As("post.view"), p.As("post.view", "post.manage")
	read := of(t, viewer.Get(path))
	require.Equal(t, shown{Sender: "panel"}, read.Settings)
	require.False(t, read.Stored)

	changed := of(t, manager.Put(path, object{"revision": 0, "settings": object{"sender": "anna", "token": "canary"}}))
	require.Equal(t, shown{Sender: "anna", HasToken: true}, changed.Settings)
	require.True(t, changed.Stored)
	require.NotContains(t, string(manager.Get(path).Body), "canary")

	changed = of(t, manager.Put(path, object{"revision": 1, "settings": object{"sender": "boris"}}))
	require.True(t, changed.Settings.HasToken, "a secret that is left out stays")
	changed = of(t, manager.Put(path, object{"revision": 2, "settings": object{"sender": "boris", "token": ""}}))
	require.False(t, changed.Settings.HasToken, "an empty one is removed")
}

func TestRefusedChangesOfSettings(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, post())
	manager := p.As("post.view", "post.manage")
	p.As("post.view").Put(path, object{"revision": 0, "settings": object{"sender": "x"}}).
		Refused(http.StatusForbidden, "permission_denied")
	manager.Put(path, object{"revision": 5, "settings": object{"sender": "x"}}).
		Refused(http.StatusConflict, "revision_conflict")
	manager.Put(path, object{"settings": object{"sender": "x"}}).Refused(http.StatusBadRequest, "missing_field")
	manager.Put(path, object{"revision": 0, "settings": object{"sender": "nobody"}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	manager.Put(path, object{"revision": 0, "settings": object{"sender": "a name that is far too long"}}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.False(t, of(t, manager.Get(path)).Stored)
}
