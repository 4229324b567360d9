package abuse

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"panel/modules/abuse/internal/acts"
	"panel/modules/abuse/internal/cases"
	"panel/modules/abuse/internal/intake"
	"panel/modules/abuse/internal/score"
	"panel/platform/agentapi"
	"panel/platform/fault"
	"panel/platform/hostname"
	"panel/platform/settings"
)

const actionSettings = "abuse.settings_changed"

// Settings are what administrators set of abuse protection. The longest times are those of the law-abiding default: who
// needs less keeps less, nobody keeps more.
type Settings struct {
	KeepDays        int              `json:"keep_days" minimum:"1" maximum:"90" doc:"How long signals and session diversity are kept; what is stored in weeks goes with its week"`
	KeepAddressDays int              `json:"keep_address_days" minimum:"1" maximum:"14" doc:"How long addresses of users are kept in signals"`
	Scoring         score.Values     `json:"scoring" doc:"What counts how much"`
	Thresholds      score.Thresholds `json:"thresholds" doc:"From which score on a step is recommended"`
	Collect         Collect          `json:"collect" doc:"What agents look for"`
	Hosts           []string         `json:"hosts" maxItems:"2000" doc:"Names that nobody is to reach, with everything below them"`
	Countries       []string         `json:"countries" maxItems:"250" doc:"ISO 3166 codes of countries that nobody is to reach"`
	Record          Record           `json:"record" doc:"What entries keep on their own disks to answer complaints from"`
	Automatic       Automatic        `json:"automatic" doc:"What is done about users without being asked"`
}

// Collect says what agents look for.
type Collect struct {
	Enabled bool     `json:"enabled" doc:"false: agents collect nothing"`
	Kinds   []string `json:"kinds" enum:"torrent,port_scan,smtp_spam,brute_force,ddos_out,phishing_dest,blocked_geo,high_rate,too_many_sources" maxItems:"9" doc:"Kinds of signals that are looked for; empty: all"`
	Limits  Limits   `json:"limits" doc:"From how much on something is told, of one user on one node"`
}

// Limits are from how much on agents tell of something.
type Limits struct {
	ScanHosts  int `json:"scan_hosts" minimum:"1" maximum:"1000000" doc:"Different addresses on one port in a minute"`
	ScanPorts  int `json:"scan_ports" minimum:"1" maximum:"65535" doc:"Different ports of one address in a minute"`
	Mails      int `json:"mails" minimum:"1" maximum:"1000000" doc:"Connections to port 25 in a minute"`
	Logins     int `json:"logins" minimum:"1" maximum:"1000000" doc:"Connections to one service for logins in a minute"`
	FloodRate  int `json:"flood_rate" minimum:"1" maximum:"1000000" doc:"Connections to one address and port in ten seconds"`
	HighRate   int `json:"high_rate" minimum:"1" maximum:"1000000" doc:"Connections to anywhere in a minute"`
	HighSource int `json:"high_source" minimum:"1" maximum:"1000000" doc:"Sources at once"`
}

// Record is the record of connections that entries keep.
type Record struct {
	Hours int `json:"hours" minimum:"0" maximum:"168" doc:"How far it goes back; 0: none is kept"`
	MB    int `json:"mb" minimum:"1" maximum:"1024" doc:"How large it gets; the oldest goes first"`
}

// Automatic is what is done about a user when a step is recommended; by default nothing.
type Automatic struct {
	Warn      []string `json:"warn" enum:"warn,limit,drop_sessions,block_ips,revoke" maxItems:"5" doc:"When a warning is recommended"`
	SoftBlock []string `json:"soft_block" enum:"warn,limit,drop_sessions,block_ips,revoke" maxItems:"5"`
	TempBlock []string `json:"temp_block" enum:"warn,limit,drop_sessions,block_ips,revoke" maxItems:"5"`
	HardBlock []string `json:"hard_block" enum:"warn,limit,drop_sessions,block_ips,revoke" maxItems:"5"`
	Minutes   int      `json:"minutes" minimum:"5" maximum:"10080" doc:"After how many minutes it ends by itself"`
}

// steps are the acts by the step that is recommended.
func (a *Automatic) steps() map[score.Step]*[]string {
	return map[score.Step]*[]string{
		score.Warn: &a.Warn, score.SoftBlock: &a.SoftBlock,
		score.TempBlock: &a.TempBlock, score.HardBlock: &a.HardBlock,
	}
}

// usual are the settings as long as nobody has set them.
var usual = Settings{
	KeepDays: 90, KeepAddressDays: 14, Scoring: score.Usual, Thresholds: score.UsualThresholds,
	Collect: Collect{Enabled: true, Kinds: []string{}, Limits: Limits(agentapi.UsualAbuseLimits)},
	Hosts:   []string{}, Countries: []string{}, Record: Record{Hours: 24, MB: 256},
	Automatic: Automatic{
		Warn: []string{}, SoftBlock: []string{}, TempBlock: []string{}, HardBlock: []string{}, Minutes: 60,
	},
}

// checked refuses settings that contradict themselves, and brings lists into their one form.
func checked(s *Settings) error {
	t := s.Thresholds
	switch {
	case t.Warn > t.Limit || t.Limit > t.Block:
		return fault.InvalidValue("thresholds", "warn, limit and block must rise")
	case s.KeepAddressDays > s.KeepDays:
		return fault.InvalidValue("keep_address_days", "must not be more than keep_days")
	}
	var err error
	if s.Hosts, err = eachOnce(s.Hosts, hostName, "hosts"); err != nil {
		return err
	}
	if s.Countries, err = eachOnce(s.Countries, countryCode, "countries"); err != nil {
		return err
	}
	if s.Collect.Kinds, err = eachOnce(s.Collect.Kinds, asItIs, "kinds"); err != nil {
		return err
	}
	for step, kinds := range s.Automatic.steps() {
		if *kinds, err = eachOnce(*kinds, asItIs, "automatic."+string(step)); err != nil {
			return err
		}
	}
	return nil
}

func asItIs(text string) (string, bool) { return text, true }

// eachOnce are the values of a list in their one form, sorted.
func eachOnce(all []string, form func(string) (string, bool), field string) ([]string, error) {
	out := []string{}
	for i, one := range all {
		value, fine := form(strings.TrimSpace(one))
		if !fine {
			return nil, fault.InvalidValue(field+"["+strconv.Itoa(i)+"]", "is no value of this list")
		}
		if !slices.Contains(out, value) {
			out = append(out, value)
		}
	}
	slices.Sort(out)
	return out, nil
}

func hostName(text string) (string, bool) {
	name := strings.ToLower(strings.TrimPrefix(text, "*."))
	return name, hostname.Is(name)
}

func countryCode(text string) (string, bool) {
	const letters = 2
	code := strings.ToUpper(text)
	return code, len(code) == letters && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// watched is what agents are told of the settings.
func watched(doc *settings.Doc[Settings]) func(ctx context.Context) (agentapi.AbuseWatch, error) {
	return func(ctx context.Context) (agentapi.AbuseWatch, error) {
		s, _, err := doc.Get(ctx)
		out := agentapi.AbuseWatch{
			Collect: s.Collect.Enabled, Limits: agentapi.AbuseLimits(s.Collect.Limits), Hosts: s.Hosts,
			Countries: s.Countries, Record: agentapi.AbuseRecord(s.Record),
		}
		for _, kind := range s.Collect.Kinds {
			out.Kinds = append(out.Kinds, agentapi.AbuseKind(kind))
		}
		return out, err
	}
}

// rules are what scoring goes by.
func rules(doc *settings.Doc[Settings]) func(ctx context.Context) (cases.Rules, error) {
	return func(ctx context.Context) (cases.Rules, error) {
		s, _, err := doc.Get(ctx)
		return cases.Rules{Values: s.Scoring, Thresholds: s.Thresholds}, err
	}
}

// automatic is what the settings want done about users without being asked.
func automatic(doc *settings.Doc[Settings]) func(ctx context.Context) (acts.Plan, error) {
	return func(ctx context.Context) (acts.Plan, error) {
		s, _, err := doc.Get(ctx)
		plan := acts.Plan{Kinds: map[string][]string{}, Minutes: s.Automatic.Minutes}
		for step, kinds := range s.Automatic.steps() {
			if len(*kinds) > 0 {
				plan.Kinds[string(step)] = *kinds
			}
		}
		return plan, err
	}
}

func openSettings(s *settings.Store) *settings.Doc[Settings] {
	return settings.Open(s, "abuse", actionSettings, usual, checked)
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
