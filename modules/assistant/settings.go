package assistant

import (
	"strings"
	"time"

	"panel/modules/assistant/internal/model"
	"panel/platform/fault"
	"panel/platform/outbound"
	"panel/platform/settings"
)

const actionSettings = "assistant.settings_changed"

// document is the name under which the settings are stored.
const document = "assistant"

// Settings are about the language model. Without one the assistant answers by its own rules alone.
type Settings struct {
	Enabled      bool            `json:"enabled" doc:"Questions go to the model; what leaves the panel is shown before"`
	Kind         string          `json:"kind" enum:"openai,anthropic" doc:"Whose way the model speaks"`
	Address      string          `json:"address" maxLength:"300" doc:"Of its API: https://api.openai.com/v1, https://api.anthropic.com"`
	Model        string          `json:"model" maxLength:"100" doc:"Its name there"`
	Key          settings.Secret `json:"key,omitempty" maxLength:"300" doc:"Absent: the stored one stays; empty: it is removed"`
	TokensPerDay int64           `json:"tokens_per_day" minimum:"1000" maximum:"100000000" doc:"Cap of all people together, by days in UTC"`
	CostPerDay   float64         `json:"cost_per_day" minimum:"0" maximum:"100000" doc:"Cap in the currency of the prices; 0: none"`
	PriceIn      float64         `json:"price_in" minimum:"0" maximum:"100000" doc:"Of a million tokens that are sent"`
	PriceOut     float64         `json:"price_out" minimum:"0" maximum:"100000" doc:"Of a million tokens that come back"`
}

// ShownSettings are the settings without the key.
type ShownSettings struct {
	Enabled      bool    `json:"enabled"`
	Kind         string  `json:"kind" enum:"openai,anthropic"`
	Address      string  `json:"address"`
	Model        string  `json:"model"`
	HasKey       bool    `json:"has_key"`
	TokensPerDay int64   `json:"tokens_per_day"`
	CostPerDay   float64 `json:"cost_per_day"`
	PriceIn      float64 `json:"price_in"`
	PriceOut     float64 `json:"price_out"`
}

func openSettings(s *settings.Store, network *outbound.Network) *settings.Doc[Settings] {
	usual := Settings{Kind: model.OpenAI, TokensPerDay: 200_000}
	return settings.Open(s, document, actionSettings, usual, func(v *Settings) error { return v.check(network) })
}

func shownSettings(s Settings) ShownSettings {
	return ShownSettings{
		Enabled: s.Enabled, Kind: s.Kind, Address: s.Address, Model: s.Model, HasKey: s.Key.Set(),
		TokensPerDay: s.TokensPerDay, CostPerDay: s.CostPerDay, PriceIn: s.PriceIn, PriceOut: s.PriceOut,
	}
}

// check refuses what could never work. An own model may stand in a private network.
func (s *Settings) check(network *outbound.Network) error {
	s.Address = strings.TrimSpace(s.Address)
	if s.Enabled && s.Address == "" {
		return fault.InvalidValue("settings.address", "a model that is on needs an address")
	}
	if s.Enabled && s.Model == "" {
		return fault.InvalidValue("settings.model", "a model that is on needs its name")
	}
	if s.Address == "" {
		return nil
	}
	address, err := network.Address(s.Address, outbound.Private)
	if err != nil || address.RawQuery != "" || address.Fragment != "" {
		return fault.InvalidValue("settings.address",
			"must be an http or https address that the panel may call, without a query")
	}
	if strings.ContainsAny(s.Key.Reveal(), " \r\n\t") {
		return fault.InvalidValue("settings.key", "must be a key without spaces")
	}
	return nil
}

// cost is what a turn costs.
func (s *Settings) cost(turn model.Turn) float64 {
	const million = 1e6
	return (float64(turn.In)*s.PriceIn + float64(turn.Out)*s.PriceOut) / million
}

// Limits of one answer of a model.
const (
	turnWithin = 60 * time.Second
	idleWithin = 20 * time.Second
)
