package specimen

import "panel/platform/settings"

// Settings are what administrators set while the panel runs.
type Settings struct {
	MostItems int `json:"most_items" minimum:"1" maximum:"100000" doc:"How many items there may be"`
}

// usual are the settings as long as nobody has set them.
var usual = Settings{MostItems: 1000}

func openSettings(s *settings.Store) *settings.Doc[Settings] {
	return settings.Open(s, "specimen", actionSettings, usual, nil)
}

// shown is what GET answers: everything but secrets, of which it would say whether they are set.
func shown(s Settings) Settings { return s }
