package external

import (
	"strings"

	"panel/modules/health/internal/external/bscheck"
	"panel/modules/health/internal/external/checker"
	"panel/platform/fault"
	"panel/platform/outbound"
	"panel/platform/settings"
)

// Settings are what administrators set of external checks. Money is in kopeks, hundredths of a rouble.
type Settings struct {
	APIKey          settings.Secret `json:"api_key,omitempty" maxLength:"200" doc:"Absent: the stored one stays; empty: it is removed"`
	Address         string          `json:"address" minLength:"1" maxLength:"300" doc:"Of the service's API"`
	DailyCap        int64           `json:"daily_cap" minimum:"0" maximum:"100000000" doc:"Kopeks that may be spent in a day of UTC; 0: nothing"`
	MonthlyCap      int64           `json:"monthly_cap" minimum:"0" maximum:"100000000" doc:"Kopeks that may be spent in a month of UTC; 0: nothing"`
	MinIntervalMins int             `json:"min_interval_minutes" minimum:"0" maximum:"10080" doc:"Between two paid checks of the same address"`
	LowBalance      int64           `json:"low_balance" minimum:"0" maximum:"100000000" doc:"Doctor warns when the balance is below it, in kopeks"`
	DropPercent     int             `json:"drop_percent" minimum:"1" maximum:"100" doc:"How many of a hundred operators must be lost between two reports to tell of it"`
}

// ShownSettings are the settings without the key.
type ShownSettings struct {
	HasAPIKey       bool   `json:"has_api_key"`
	Address         string `json:"address"`
	DailyCap        int64  `json:"daily_cap"`
	MonthlyCap      int64  `json:"monthly_cap"`
	MinIntervalMins int    `json:"min_interval_minutes"`
	LowBalance      int64  `json:"low_balance"`
	DropPercent     int    `json:"drop_percent"`
}

func usual() Settings {
	return Settings{
		Address: bscheck.Address, DailyCap: 10_000, MonthlyCap: 100_000, MinIntervalMins: 60, LowBalance: 5_000,
		DropPercent: 20,
	}
}

func openSettings(s *settings.Store, network *outbound.Network) *settings.Doc[Settings] {
	check := func(v *Settings) error { return v.check(network) }
	return settings.Open(s, "health.bscheck", SettingsChanged, usual(), check)
}

func shownSettings(s Settings) ShownSettings {
	return ShownSettings{
		HasAPIKey: s.APIKey.Set(), Address: s.Address, DailyCap: s.DailyCap, MonthlyCap: s.MonthlyCap,
		MinIntervalMins: s.MinIntervalMins, LowBalance: s.LowBalance, DropPercent: s.DropPercent,
	}
}

// check refuses what could never work.
func (s *Settings) check(network *outbound.Network) error {
	address, err := network.Address(s.Address, outbound.Private)
	if err != nil || address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		return fault.InvalidValue("settings.address",
			"must be an http or https address that the panel may call, without a query")
	}
	if strings.ContainsFunc(s.APIKey.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fault.InvalidValue("settings.api_key", "must be a key as the service gives it")
	}
	if s.DailyCap > s.MonthlyCap {
		return fault.InvalidValue("settings.daily_cap", "must not be above the cap of a month")
	}
	return nil
}

func (s Settings) access() checker.Access {
	return checker.Access{Address: s.Address, Key: s.APIKey.Reveal()}
}
