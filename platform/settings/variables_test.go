package settings

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database/dbtest"
)

type releases struct {
	Channel string `json:"channel,omitempty"`
	Check   bool   `json:"check"`
}

// channelOf opens a document whose channel is that of a variable, on a panel whose operator has set it or has not.
func channelOf(t *testing.T, p *panel, given map[string]string) *Doc[releases] {
	t.Helper()
	cfg, err := config.Of(given)
	require.NoError(t, err)
	usual := releases{Channel: cfg.String(config.UpdateChannel), Check: true}
	return Open(p.store, "releases", "releases.settings_changed", usual, nil).
		DefaultsTo(cfg, "channel", config.UpdateChannel)
}

var setByOperator = map[string]string{"PANEL_UPDATE_CHANNEL": "dev"}

func channelVariable(given bool, value string, holds bool) []Variable {
	return []Variable{{Field: "channel", Name: "PANEL_UPDATE_CHANNEL", Given: given, Value: value, Holds: holds}}
}

func TestAVariableHoldsUntilTheDocumentHasAValueOfItsOwn(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	value, state, err := channelOf(t, p, nil).Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, releases{Channel: "stable", Check: true}, value)
	require.Equal(t, channelVariable(false, "stable", true), state.Variables)

	doc := channelOf(t, p, setByOperator)
	_, state, err = doc.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, channelVariable(true, "dev", true), state.Variables)

	stored, state, err := doc.Put(t.Context(), 0, releases{Channel: "stable"})
	require.NoError(t, err)
	require.Equal(t, releases{Channel: "stable"}, stored)
	require.Equal(t, channelVariable(true, "dev", false), state.Variables)
	value, read, err := doc.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, stored, value)
	require.Equal(t, state, read)
}

// A field that goes back to its variable follows it from then on, also when the operator changes it; the rest stays
// stored.
func TestAFieldGoesBackToItsVariable(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	doc := channelOf(t, p, setByOperator)
	_, _, err := doc.Put(t.Context(), 0, releases{Channel: "stable"})
	require.NoError(t, err)
	stored, state, err := doc.Put(t.Context(), 1, releases{})
	require.NoError(t, err)
	require.Equal(t, releases{Channel: "dev"}, stored)
	require.Equal(t, channelVariable(true, "dev", true), state.Variables)
	value, _, err := channelOf(t, p, nil).Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, releases{Channel: "stable"}, value)
}

func TestTheJournalSaysWhenAVariableNoLongerHolds(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	doc := channelOf(t, p, setByOperator)
	for revision, next := range []releases{
		{Channel: "dev", Check: true},
		{Channel: "stable", Check: true},
		{Check: true},
	} {
		_, _, err := doc.Put(t.Context(), int64(revision), next)
		require.NoError(t, err)
	}
	var changes []map[string]audit.Change
	for _, entry := range p.journal.entries {
		changes = append(changes, entry.Changes)
	}
	require.Equal(t, []map[string]audit.Change{
		{"channel": {From: "PANEL_UPDATE_CHANNEL: dev", To: "dev"}},
		{"channel": {From: "dev", To: "stable"}},
		{"channel": {From: "stable", To: "PANEL_UPDATE_CHANNEL: dev"}},
	}, changes)
}

func TestAChangeIsEmitted(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	_, _, err := channelOf(t, p, nil).Put(t.Context(), 0, releases{Channel: "dev"})
	require.NoError(t, err)
	require.Len(t, p.news.all, 1)
	require.Equal(t, "releases.settings_changed", p.news.all[0].Kind)
	require.Equal(t, "releases", p.news.all[0].SubjectID)
	require.Equal(t, Changed{Revision: 1}, p.news.all[0].Data)
}

// A variable with a secret, or a field that is not there, is a mistake of whoever writes the module.
func TestAVariableThatCannotBeShownIsRefused(t *testing.T) {
	t.Parallel()
	p := on(t, dbtest.New(t), nil)
	cfg, err := config.Of(nil)
	require.NoError(t, err)
	doc := Open(p.store, "releases", "releases.settings_changed", releases{}, nil)
	require.Panics(t, func() { doc.DefaultsTo(cfg, "channel", config.SetupToken) })
	require.Panics(t, func() { doc.DefaultsTo(cfg, "canal", config.UpdateChannel) })
}
