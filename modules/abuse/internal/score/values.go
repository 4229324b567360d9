// Package score says from what was seen of a user how likely an account is shared or misused, sentence by sentence. It
// is pure: the same lines and signals give the same score, in whatever sequence they come.
package score

// Values are what counts how much. The points of a part are of 100 and become those of the score by the most that the
// part gives. The defaults are those of the field (remnawave-admin).
type Values struct {
	MinScore        int     `json:"min_score" minimum:"1" maximum:"255" doc:"From which score on a case is opened"`
	CooldownMinutes int     `json:"cooldown_minutes" minimum:"1" maximum:"1440" doc:"How long the case of a user is not scored again"`
	Buffer          int     `json:"buffer" minimum:"0" maximum:"100" doc:"Sources at once that are nobody's fault: carriers change addresses, and phones networks"`
	PerSource       int     `json:"per_source" minimum:"0" maximum:"100" doc:"For each source at once above these"`
	AtOnce          int     `json:"at_once" minimum:"0" maximum:"100" doc:"For different countries at once"`
	OtherCity       int     `json:"other_city" minimum:"0" maximum:"100" doc:"For a move to another city that can be"`
	OtherCountry    int     `json:"other_country" minimum:"0" maximum:"100" doc:"For a move to another country that can be"`
	TooFast         int     `json:"too_fast" minimum:"0" maximum:"100" doc:"For a move faster than anybody travels"`
	CityKmh         int     `json:"city_kmh" minimum:"1" maximum:"2000" doc:"Fastest travel of up to 100 km"`
	CountryKmh      int     `json:"country_kmh" minimum:"1" maximum:"2000" doc:"Fastest travel of up to 500 km"`
	WorldKmh        int     `json:"world_kmh" minimum:"1" maximum:"2000" doc:"Fastest travel of more"`
	Networks        int     `json:"networks" minimum:"1" maximum:"64" doc:"Networks within ten minutes that are usual; all carriers with NAT count as one"`
	PerNetwork      int     `json:"per_network" minimum:"0" maximum:"100" doc:"For each network above these"`
	PerHosting      int     `json:"per_hosting" minimum:"0" maximum:"100" doc:"For each network of hosting or VPN"`
	UsualTimes      int     `json:"usual_times" minimum:"2" maximum:"100" doc:"How many times the usual sources of a day are conspicuous"`
	PerTime         int     `json:"per_time" minimum:"0" maximum:"100" doc:"For each time the usual sources of a day"`
	NewCountry      int     `json:"new_country" minimum:"0" maximum:"100" doc:"For a country in which the user was never seen"`
	Devices         int     `json:"devices" minimum:"1" maximum:"1000" doc:"Devices that are usual"`
	PerDevice       int     `json:"per_device" minimum:"0" maximum:"100" doc:"For each device above these"`
	HardSources     int     `json:"hard_sources" minimum:"2" maximum:"64" doc:"From so many sources in a day on a hard block is recommended"`
	HardAtOnce      int     `json:"hard_at_once" minimum:"2" maximum:"1000" doc:"From so many sources at once on a hard block is recommended"`
	Most            Most    `json:"most" doc:"The most that each part gives"`
	Signals         Signals `json:"signals" doc:"Points of each kind of signal, when it is certain and seen a hundred times"`
}

// Most are the most points that each part of a score gives.
type Most struct {
	Temporal int `json:"temporal" minimum:"0" maximum:"255"`
	Geo      int `json:"geo" minimum:"0" maximum:"255"`
	ASN      int `json:"asn" minimum:"0" maximum:"255"`
	Profile  int `json:"profile" minimum:"0" maximum:"255"`
	Device   int `json:"device" minimum:"0" maximum:"255"`
	HWID     int `json:"hwid" minimum:"0" maximum:"255"`
	Signals  int `json:"signals" minimum:"0" maximum:"255"`
}

// Signals are the points of the kinds of signals.
type Signals struct {
	Torrent        int `json:"torrent" minimum:"0" maximum:"255"`
	PortScan       int `json:"port_scan" minimum:"0" maximum:"255"`
	SMTPSpam       int `json:"smtp_spam" minimum:"0" maximum:"255"`
	BruteForce     int `json:"brute_force" minimum:"0" maximum:"255"`
	Flood          int `json:"ddos_out" minimum:"0" maximum:"255"`
	Phishing       int `json:"phishing_dest" minimum:"0" maximum:"255"`
	BlockedGeo     int `json:"blocked_geo" minimum:"0" maximum:"255"`
	HighRate       int `json:"high_rate" minimum:"0" maximum:"255"`
	TooManySources int `json:"too_many_sources" minimum:"0" maximum:"255"`
}

func (s Signals) of(kind string) int {
	return map[string]int{
		"torrent": s.Torrent, "port_scan": s.PortScan, "smtp_spam": s.SMTPSpam, "brute_force": s.BruteForce,
		"ddos_out": s.Flood, "phishing_dest": s.Phishing, "blocked_geo": s.BlockedGeo, "high_rate": s.HighRate,
		"too_many_sources": s.TooManySources,
	}[kind]
}

// Thresholds are from which score on a step is recommended.
type Thresholds struct {
	Warn  int `json:"warn" minimum:"1" maximum:"255"`
	Limit int `json:"limit" minimum:"1" maximum:"255"`
	Block int `json:"block" minimum:"1" maximum:"255"`
}

// UsualThresholds are the defaults.
var UsualThresholds = Thresholds{Warn: 40, Limit: 70, Block: 110}

// Usual are the values as long as nobody has set them.
var Usual = Values{
	MinScore: 50, CooldownMinutes: 15, Buffer: 3, PerSource: 20, AtOnce: 90, OtherCity: 5, OtherCountry: 15,
	TooFast: 50, CityKmh: 50, CountryKmh: 200, WorldKmh: 800, Networks: 2, PerNetwork: 25, PerHosting: 20,
	UsualTimes: 2,
	PerTime:    25, NewCountry: 20, Devices: 3, PerDevice: 33, HardSources: 50, HardAtOnce: 20,
	Most: Most{Temporal: 40, Geo: 30, ASN: 25, Profile: 15, Device: 15, HWID: 20, Signals: 110},
	Signals: Signals{
		Torrent: 50, PortScan: 80, SMTPSpam: 90, BruteForce: 80, Flood: 110, Phishing: 50, BlockedGeo: 20, HighRate: 15,
		TooManySources: 25,
	},
}

// Step is what is recommended to do about a user.
type Step string

// Steps, the gentlest first.
const (
	None      Step = "none"
	Monitor   Step = "monitor"
	Warn      Step = "warn"
	SoftBlock Step = "soft_block"
	TempBlock Step = "temp_block"
	HardBlock Step = "hard_block"
)

// Steps are the steps, the gentlest first.
var Steps = []Step{None, Monitor, Warn, SoftBlock, TempBlock, HardBlock}

// recommend is the step for a score; monitored is what is not worth a warning yet.
func (t Thresholds) recommend(score int) Step {
	switch {
	case score >= t.Block:
		return TempBlock
	case score >= t.Limit:
		return SoftBlock
	case score >= t.Warn:
		return Warn
	case score > 0:
		return Monitor
	}
	return None
}
