package abuse

import (
	"context"
	"time"

	"panel/modules/abuse/internal/intake"
	"panel/platform/settings"
)

const actionSettings = "abuse.settings_changed"

// Settings are what administrators set of abuse protection. The longest times are those of the law-abiding default: who
// needs less keeps less, nobody keeps more.
type Settings struct {
	KeepDays        int `json:"keep_days" minimum:"1" maximum:"90" doc:"How long signals and session diversity are kept; what is stored in weeks goes with its week"`
	KeepAddressDays int `json:"keep_address_days" minimum:"1" maximum:"14" doc:"How long addresses of users are kept in signals"`
}

// usual are the settings as long as nobody has set them.
var usual = Settings{KeepDays: 90, KeepAddressDays: 14}

func openSettings(s *settings.Store) *settings.Doc[Settings] {
	return settings.Open(s, "abuse", actionSettings, usual, nil)
}

func shownSettings(s Settings) Settings { return s }

// kept says how long what agents told is kept now.
func kept(doc *settings.Doc[Settings]) func(ctx context.Context) (intake.Kept, error) {
	const day = 24 * time.Hour
	return func(ctx context.Context) (intake.Kept, error) {
		s, _, err := doc.Get(ctx)
		return intake.Kept{
			All:       time.Duration(s.KeepDays) * day,
			Addresses: time.Duration(s.KeepAddressDays) * day,
		}, err
	}
}
